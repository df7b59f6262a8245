import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { directoryWith, lait } from '../../cli/run-lait.js';
import { complete, literally, mapping, tool } from './host.js';

const configuration = `
tools:
  log:
    command: [sh, -c, 'echo "$1" >> log; echo "$1"', sh, '{{ input.text }}']
    parameters: { type: object, properties: { text: { type: string } }, required: [text] }
  need:
    command: [sh, -c, 'test -f allowed && echo yes']
    parameters: { type: object }
`;
const schema = {
  type: 'object',
  properties: { text: { type: 'string' }, n: { type: 'number' } },
  required: ['text'],
};
const shown = complete({
  inputSchema: schema,
  graph: [mapping('m', { text: { initData: true, path: 'text' }, n: { initData: true, path: 'n' } })],
});
const files = (definition: object) => ({
  'lait.config.yml': configuration,
  'w.json': JSON.stringify(definition, null, 2),
});

it('[dynamic.command-line] run reads inputs by the schema: single ones, JSON, a file, standard input', async () => {
  const directory = directoryWith({ ...files(shown), 'in.json': '{"text":"f"}' });
  const run = async (args: string[], stdin?: string) => {
    const { code, stdout, stderr } = await lait(
      directory,
      ['run', 'w.json', '-q', ...args],
      stdin === undefined ? {} : { stdin },
    );
    return code === 0 ? (JSON.parse(stdout) as unknown) : `${code}: ${stderr.trim().split('\n').at(-1)}`;
  };
  expect(await run(['--input', 'text=7', '--input', 'n=7'])).toEqual({ text: '7', n: 7 });
  expect(await run(['--input-json', '{"text":"日本 🎉"}'])).toEqual({ text: '日本 🎉' });
  expect(await run(['--input-json', '@in.json'])).toEqual({ text: 'f' });
  expect(await run([], '{"text":"piped"}\n')).toEqual({ text: 'piped' });
  expect(await run(['--input', 'n=x'])).toMatch(
    /^2: .*- text: Invalid input: expected string, received undefined.*- n: Invalid input/,
  );
  expect(await run(['--input-json', '{'])).toMatch(/^2: .*--input-json is no JSON/);
});

it('lint, graph and dry run know definitions, and lint what is registered', async () => {
  const directory = directoryWith(
    files(
      complete({
        inputSchema: schema,
        graph: [
          {
            type: 'conditional',
            steps: [tool('b', 'lgo')],
            predicates: [{ op: 'gt', left: { path: 'initData.n' }, right: { literal: 3 } }],
          },
        ],
      }),
    ),
  );
  const lint = await lait(directory, ['lint', 'w.json']);
  expect([lint.code, lint.stdout]).toEqual([
    3,
    expect.stringMatching(/w\.json:\d+:\d+: error\[missing-reference\].*\n[\s\S]*did you mean "log"\?/),
  ]);
  writeFileSync(
    join(directory, 'w.json'),
    readFileSync(join(directory, 'w.json'), 'utf8').replace('lgo', 'log'),
  );
  expect((await lait(directory, ['graph', 'w.json'])).stdout).toMatch(/b: initData\.n gt 3/);
  const plan = await lait(directory, ['run', 'w.json', '--dry-run', '--input', 'text=x']);
  expect([plan.code, plan.stdout]).toEqual([0, expect.stringContaining('initData.n gt 3')]);
  expect(existsSync(join(directory, 'log'))).toBe(false);
});

it('a failed run is resumed in another process, behind what it has done', async () => {
  const directory = directoryWith(
    files(
      complete({
        inputSchema: schema,
        graph: [
          tool('first', 'log'),
          mapping('args', { text: { template: '${stepResults.first}!' } }),
          { type: 'conditional', steps: [tool('b', 'log')], predicates: [literally(false)] },
          mapping('again', { text: { template: '${stepResults.args.text}' } }),
          tool('gate', 'need'),
          mapping('end', { first: { step: 'first', path: '.' }, gate: { step: 'gate', path: '.' } }),
        ],
      }),
    ),
  );
  const failed = await lait(directory, ['run', 'w.json', '-q', '--checkpoint', '--input', 'text=once']);
  expect(failed.code).toBe(1);
  writeFileSync(join(directory, 'allowed'), '');
  const resumed = await lait(directory, ['run', 'w.json', '-q', '--resume', 'latest']);
  expect([resumed.code, JSON.parse(resumed.stdout)]).toEqual([0, { first: 'once', gate: 'yes' }]);
  expect(readFileSync(join(directory, 'log'), 'utf8')).toBe('once\n');
});

it('[convert.losses-listed] convert lists everything that the other form cannot say, and writes nothing', async () => {
  const directory = directoryWith({
    ...files(
      complete({
        inputSchema: schema,
        stateSchema: {},
        graph: [
          tool('a b', 'log'),
          { type: 'sleep', id: 'z', duration: 1 },
          {
            type: 'loop',
            loopType: 'dowhile',
            step: { type: 'workflow', id: 'w1', workflowId: 'o' },
            predicate: literally(false),
          },
          mapping('m', {
            x: { requestContextPath: 'user' },
            y: { step: ['a b', 'z'], path: '.' },
            z: { template: '${state.q}' },
          }),
        ],
      }),
    ),
    's.yml':
      'version: 2\ninputs: { a: { type: string, default: x } }\ntimeout: 9\nsteps:\n  - prompt: hi\n  - id: j\n    when: .x\n    jq: .a + 1\n  - id: k\n    jq: "{ a: (.b | length) }"\n',
  });
  const toSteps = await lait(directory, ['convert', 'w.json', '--to', 'steps', '-o', 'out.yml']);
  expect(toSteps.code).toBe(3);
  expect([...toSteps.stderr.matchAll(/error\[cannot_convert\]: (\S+): /g)].map(([, path]) => path)).toEqual([
    'inputSchema.properties.n',
    'stateSchema',
    'graph.0',
    'graph.0',
    'graph.1',
    'graph.2',
    'graph.3.mapConfig.x',
    'graph.3.mapConfig.y',
    'graph.3.mapConfig.z',
  ]);
  expect(existsSync(join(directory, 'out.yml'))).toBe(false);
  const toDynamic = await lait(directory, ['convert', 's.yml', '--to', 'dynamic']);
  expect([toDynamic.code, toDynamic.stdout]).toEqual([3, '']);
  expect(toDynamic.stderr).toMatch(
    /s\.yml:\d+:\d+: error\[cannot_convert\]: inputs\.a: the dynamic form has no defaults/,
  );
  expect(toDynamic.stderr).toMatch(
    /s\.yml:5:5: error\[cannot_convert\]: steps\[0\]: prompt: the dynamic form has no such step/,
  );
  expect(toDynamic.stderr).toMatch(/'\.b \| length' is no constant, path or text with paths/);
  expect((await lait(directory, ['convert', 's.yml', '--to', 'steps'])).code).toBe(2);
});
