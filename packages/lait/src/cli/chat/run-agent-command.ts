import { readAgentFile } from '../../dialects/steps/read-agent-file.js';
import type { CommandContext } from '../command-context.js';
import { type ExitCode, exitCodeOf } from '../exit-codes.js';
import { reportFailure } from '../report-failure.js';
import { resolveRegisteredFile } from '../run/resolve-workflow-file.js';
import { failureText } from '../run/write-result.js';
import { chatCommand } from './chat-command.js';
import type { ChatOptions } from './chat-options.js';

/** `lait agent run`: finds the agent, a file before a registered name, and lets it answer. Source: facts §1.3. */
export async function runAgentCommand(
  file: string,
  input: string | undefined,
  options: ChatOptions,
  context: CommandContext,
): Promise<ExitCode> {
  const { output, signal, workingDirectory } = context;
  try {
    const configuration = await context.trustedConfiguration();
    const { path, name, note } = await resolveRegisteredFile(file, 'agents', configuration, workingDirectory);
    if (note !== undefined) output.note(note);
    const agent = await readAgentFile(path, { signal });
    return await chatCommand(input, options, context, { ...agent, name: agent.name ?? name });
  } catch (error) {
    await reportFailure(error, { output, verbosity: context.options.verbosity });
    if (options.json === true) await output.write(failureText(error, null, context.secrets));
    return exitCodeOf(error);
  }
}
