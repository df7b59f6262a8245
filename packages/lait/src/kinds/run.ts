import type { Expression } from '../expressions/expression.js';
import { programEnvironment } from '../tools/environment.js';
import { processFailure, runProcess } from '../tools/process.js';
import { secretValues } from '../tools/secret-values.js';
import { expandVariables } from '../values/expand-variables.js';
import { textOf } from '../values/text.js';
import { decodeUtf8 } from '../values/utf8.js';
import { completed, type Kind } from './kind.js';

interface RunFields {
  run: readonly Expression<string>[];
  env?: Readonly<Record<string, string>>;
  cwd?: string;
}

/** `run`: runs a program without a shell. Source: steps seed, `run`; steps facts §10. */
export const runKind: Kind<RunFields> = {
  name: 'run',
  shape: 'action',
  description: 'Runs a program without a shell; its standard output is the value.',
  fields: {
    run: {
      type: 'list',
      items: { type: 'template' },
      minItems: 1,
      required: true,
      description: 'The program and its arguments, each a template. The input is handed to standard input.',
    },
    env: {
      type: 'map',
      names: 'any',
      values: { type: 'text' },
      description:
        'The only variables the program sees, when there is at least one. They may refer to variables, not to templates.',
    },
    cwd: {
      type: 'text',
      notBlank: true,
      description: 'The working directory of the program. It may refer to variables, not to templates.',
    },
  },
  effects: 'rerun',
  unsafeToRepeat: true,
  reaches: () => ['run'],
  check({ run, env = {} }) {
    const problems = [];
    if (run[0]?.source.trim() === '') {
      problems.push({ path: ['run', 0], message: 'the program is blank; its name or path comes first' });
    }
    for (const name of Object.keys(env)) {
      if (name === '' || /[=\0]/.test(name)) {
        problems.push({ path: ['env', name], message: `'${name}' is no name for an environment variable` });
      }
    }
    return problems;
  },
  expressions: ({ run }) =>
    run.map((expression, index) => ({
      name: `run[${index}]`,
      expression,
    })),
  async execute({ run, env, cwd }, context) {
    const command = run.map((argument) => context.evaluate(argument));
    const stdin = textOf(context.input);
    const value = await context.effect(async ({ signal, idempotencyKey }) => {
      const { variables, workingDirectory, onSecret } = context.services.environment;
      for (const secret of secretValues(env ?? {}, variables)) onSecret?.(secret);
      const result = await runProcess(
        {
          command,
          environment: programEnvironment(env, variables, idempotencyKey),
          baseDirectory: workingDirectory,
          workingDirectory: cwd === undefined ? undefined : expandVariables(cwd, variables, 'cwd'),
        },
        {
          stdin,
          signal,
          onSurvivors: (pids) =>
            context.warn(`processes that '${command[0]}' started could not be ended: ${pids.join(', ')}`),
        },
      );
      if (result.exitCode !== 0) throw processFailure(command[0]!, result);
      return { value: withoutFinalLineBreak(decodeUtf8(result.stdout, `the output of '${command[0]}'`)) };
    });
    return completed(value);
  },
};

/** Without one trailing line break, `\n` or `\r\n`. Source: steps seed, 値の流れ; steps facts §10. */
function withoutFinalLineBreak(text: string): string {
  return text.replace(/\r?\n$/, '');
}
