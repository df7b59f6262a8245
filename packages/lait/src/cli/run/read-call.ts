import { dialectOf } from '../../dialects/index.js';
import { UsageError } from '../../errors/errors.js';
import { readTextFile } from '../../files/read-file.js';
import { declarationsOfSchema, parseInputArguments, readInputText } from '../../plan/inputs.js';
import type { Plan } from '../../plan/plan.js';
import { isObject, type JsonObject, type JsonValue } from '../../values/value.js';
import type { CommandContext } from '../command-context.js';
import type { RunOptions } from '../commands/run.js';
import { readCommandPrompt } from '../read-prompt.js';
import { requireFile } from '../require-file.js';
import { continuesRun } from './record-options.js';

/** What the command line hands to a workflow. */
export interface CommandCall {
  /**
   * PROMPT with what is piped in, or what `--input-json` gives; undefined without all of them, or when the run goes on
   * with recorded values. Text for a workflow with an input schema is read as JSON.
   */
  input: JsonValue | undefined;
  /** What `--input` gives. */
  inputs: JsonObject;
}

/** Reads PROMPT, standard input and `--input`. Throws what `readPrompt` and `parseInputArguments` throw. */
export async function readCall(
  plan: Plan,
  prompt: string | undefined,
  options: RunOptions,
  context: CommandContext,
): Promise<CommandCall> {
  const { output, signal } = context;
  const { inputs, warnings } = parseInputArguments(
    plan.inputs ?? declarationsOfSchema(plan.inputSchema),
    options.input ?? [],
  );
  for (const warning of warnings) output.warning(warning);
  if (continuesRun(options)) {
    if (prompt !== undefined) output.note('PROMPT is not used: the run goes on with recorded values');
    return { input: undefined, inputs };
  }
  if (options.inputJson !== undefined) {
    if (prompt !== undefined) {
      throw new UsageError({
        code: 'options_exclude',
        message: 'PROMPT and --input-json exclude each other',
      });
    }
    return merged(await readInputJson(options.inputJson, signal), inputs, plan);
  }
  const readStdin = options.stdin && (prompt === '-' || mayBePiped(plan, options));
  const text = await readCommandPrompt(prompt, readStdin, context);
  return { input: text === undefined ? undefined : readInputText(plan.inputSchema, text), inputs };
}

/** Where the named inputs are the whole input, `--input` adds to an object or replaces members of it. */
function merged(input: JsonValue, inputs: JsonObject, { inputSchema }: Plan): CommandCall {
  if (inputSchema === undefined || !isObject(input) || Object.keys(inputs).length === 0)
    return { input, inputs };
  return { input: undefined, inputs: { ...input, ...inputs } };
}

/** Where inputs are named, standard input is waited for when some are missing. */
function mayBePiped({ form, inputSchema }: Plan, options: RunOptions): boolean {
  if (!dialectOf(form).takesNamedInputs) return true;
  return (
    options.input === undefined && Array.isArray(inputSchema?.required) && inputSchema.required.length > 0
  );
}

/** JSON text, or `@FILE` with JSON text in it. */
export async function readInputJson(argument: string, signal: AbortSignal): Promise<JsonValue> {
  const file = argument.startsWith('@') ? argument.slice(1) : undefined;
  const text = file === undefined ? argument : await readTextFile(await requireFile(file), { signal });
  try {
    return JSON.parse(text) as JsonValue;
  } catch (error) {
    const place = file === undefined ? '--input-json' : file;
    throw new UsageError({ code: 'input_json', message: `${place} is no JSON: ${(error as Error).message}` });
  }
}
