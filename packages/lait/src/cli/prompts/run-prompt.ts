import { UsageError } from '../../errors/errors.js';
import { scopeOf } from '../../expressions/scope.js';
import { compileTemplate } from '../../expressions/template.js';
import { readTextFile } from '../../files/read-file.js';
import { acceptInputs, type InputDeclarations, parseInputArguments } from '../../plan/inputs.js';
import { plainLineEnds } from '../../values/line-ends.js';
import { chatCommand } from '../chat/chat-command.js';
import type { ChatOptions } from '../chat/chat-options.js';
import type { CommandContext } from '../command-context.js';
import type { ExitCode } from '../exit-codes.js';
import { readCommandPrompt } from '../read-prompt.js';
import { resolveRegisteredFile } from '../run/resolve-workflow-file.js';

/**
 * `lait prompt run`: fills a prompt file in and asks the model. The file is a template that sees what is given as
 * `input`, and `--input` values as `inputs`. Throws a `UsageError` for values that are missing or unknown.
 */
export async function runPrompt(
  file: string,
  input: string | undefined,
  { input: given = [], ...options }: ChatOptions & { input?: string[] },
  context: CommandContext,
): Promise<ExitCode> {
  const { output, signal, workingDirectory } = context;
  const { path, note } = await resolveRegisteredFile(
    file,
    'prompts',
    await context.configuration(),
    workingDirectory,
  );
  if (note !== undefined) output.note(note);
  const template = compileTemplate(
    plainLineEnds(await readTextFile(path, { signal })).text.replace(/\n$/, ''),
  );
  const names = template.references.flatMap(({ root, path: [name] }) =>
    root === 'inputs' && typeof name === 'string' ? [name] : [],
  );
  const declared: InputDeclarations = Object.fromEntries(
    names.map((name) => [name, { schema: { type: 'string' }, required: true }]),
  );
  const inputs = acceptInputs(declared, parseInputArguments(declared, given).inputs);
  const value = await readCommandPrompt(input, options.stdin, context);
  const readsInput = template.references.some(({ root }) => root === 'value');
  if (value === undefined && readsInput) {
    throw new UsageError({
      code: 'prompt_required',
      message: `${file} reads {{ input }}: give INPUT or standard input`,
    });
  }
  if (value !== undefined && !readsInput) output.warning(`${file} reads no {{ input }}: INPUT is not used`);
  const message = template.evaluate({ ...scopeOf(value), inputs });
  return chatCommand(message, { ...options, stdin: false }, context);
}
