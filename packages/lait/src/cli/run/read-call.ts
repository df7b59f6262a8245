import { parseInputArguments } from '../../plan/inputs.js';
import type { Plan } from '../../plan/plan.js';
import type { JsonObject } from '../../values/value.js';
import type { CommandContext } from '../command-context.js';
import type { RunOptions } from '../commands/run.js';
import { readPrompt } from '../read-prompt.js';
import { continuesRun } from './record-options.js';

/** What the command line hands to a workflow. */
export interface CommandCall {
  /** PROMPT with what is piped in; undefined without both, or when the run goes on with recorded values. */
  input: string | undefined;
  /** What `--input` gives. */
  inputs: JsonObject;
}

/** Reads PROMPT, standard input and `--input`. Throws what `readPrompt` and `parseInputArguments` throw. */
export async function readCall(
  plan: Plan,
  prompt: string | undefined,
  options: RunOptions,
  { output, signal }: CommandContext,
): Promise<CommandCall> {
  const { inputs, warnings } = parseInputArguments(plan.inputs ?? {}, options.input ?? []);
  for (const warning of warnings) output.warning(warning);
  if (continuesRun(options)) {
    if (prompt !== undefined) output.note('PROMPT is not used: the run goes on with recorded values');
    return { input: undefined, inputs };
  }
  const input = await readPrompt({
    argument: prompt,
    stdin: process.stdin,
    readStdin: options.stdin,
    signal,
    onSilence: () => output.note('waiting for standard input (end it, or use --no-stdin to leave it unread)'),
  });
  return { input, inputs };
}
