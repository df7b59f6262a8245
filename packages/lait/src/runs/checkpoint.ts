import { LaitError } from '../errors/lait-error.js';
import type { ChatMessage } from '../kinds/services.js';
import { isObject, type JsonObject, type JsonValue, type Value } from '../values/value.js';

/** The format that this version writes and reads. */
export const checkpointFormat = 2;

/**
 * What a resume needs of a run: everything behind its last finished top-level step. The names are those of the file
 * `.lait/runs/<run-id>.json`. Source: steps seed, 実行の再開; steps facts §15.
 */
export interface Checkpoint {
  run_id: string;
  /** FILE as the person gave it, after a registered name was looked up. */
  workflow_path: string;
  initial_input: JsonValue;
  inputs: JsonValue;
  /** The top-level steps in order: `id`, or `step-<position>`. */
  top_level_labels: readonly string[];
  /** Index of the last finished top-level step; null before the first has finished. */
  completed_index: number | null;
  /** The running number of steps so far. */
  counter: number;
  current_value: Value;
  steps_outputs: JsonObject;
  /** The value after each finished step but the last, for `--from`. */
  passed_values: readonly PassedValue[];
  /** The dynamic form's state. */
  state: JsonObject;
  /** `failed` until the run has completed, so that a killed run can be resumed. */
  status: 'failed' | 'completed';
  /** How an unfinished run ended; absent while it runs and after a kill. `cancelled`: a person or the system ended it. */
  failure?: { message: string; step?: string; cancelled?: true };
  /** The run whose record this one began with, and the step it began at. */
  parent?: { run_id: string; from: string };
  started_at: string;
  updated_at: string;
  /** Finished items of the `for_each` that was interrupted. */
  items?: KeptItems;
  /** What was said in a step that ran out of tool rounds. */
  conversation?: KeptConversation;
}

/** The value after a step, stored once: that of a recorded step, the same as before, or the value itself. */
export type PassedValue = { step: string } | { same: true } | { value: JsonValue };

/** The conversation of an unfinished step of the top level. */
export interface KeptConversation {
  /** Id of the step, else its path. */
  step: string;
  messages: readonly ChatMessage[];
  /** Tool results that the messages show cut, whole, by the ids of their calls. */
  cut_results: Readonly<Record<string, string>>;
}

/** Results of the finished items of an unfinished top-level `for_each`. */
export interface KeptItems {
  /** The list they belong to: its canonical JSON, hashed. */
  digest: string;
  /** Index to result. */
  results: Readonly<Record<string, JsonValue>>;
  /** Steps recorded so far, when items run one after the other. */
  steps?: JsonObject;
}

/**
 * Reads the text of a run's file. Throws a `LaitError` that names the path and says what to do: `checkpoint_damaged`
 * (also the record of another run, which would be written elsewhere than it was read), `checkpoint_foreign` (JSON that
 * is no checkpoint), `checkpoint_of_other_kind` (a run of the run store), `checkpoint_older` and `checkpoint_newer`
 * (other formats).
 */
export function readCheckpoint(text: string, path: string, runId: string): Checkpoint {
  let file: unknown;
  try {
    file = JSON.parse(text);
  } catch {
    throw damagedCheckpoint(path, text.trim() === '' ? 'it is empty' : 'it is no complete JSON');
  }
  if (isObject(file) && file.record_type === 'run') {
    throw new LaitError({
      code: 'checkpoint_of_other_kind',
      message: `${path} records a run that is resumed by itself, not from a checkpoint: \`lait runs resume\` continues it`,
    });
  }
  if (!isObject(file) || !Object.hasOwn(file, 'format')) {
    throw new LaitError({
      code: 'checkpoint_foreign',
      message: `${path} is no checkpoint of lait (it names no format); it is left as it is`,
    });
  }
  const { format, no_value: hasNoValue, ...members } = file;
  if (format !== checkpointFormat) {
    const newer = typeof format === 'number' && format > checkpointFormat;
    throw new LaitError({
      code: newer ? 'checkpoint_newer' : 'checkpoint_older',
      message: newer
        ? `${path} was written by a newer lait (format ${format}, this one reads ${checkpointFormat}); resume with that version`
        : `${path} has format ${JSON.stringify(format)} of an earlier lait and cannot be resumed; start the run again`,
    });
  }
  const problem = shapeProblem(file);
  if (problem !== undefined) throw damagedCheckpoint(path, problem);
  const checkpoint = members as unknown as Checkpoint;
  if (checkpoint.run_id !== runId) throw damagedCheckpoint(path, 'it is the record of another run');
  return {
    ...checkpoint,
    current_value: hasNoValue === true ? undefined : checkpoint.current_value,
    passed_values: checkpoint.passed_values ?? [],
    state: checkpoint.state ?? {},
  };
}

/** The error for a record that cannot be read; what to do is up to whoever knows what else there is. */
export function damagedCheckpoint(path: string, reason: string): LaitError {
  return new LaitError({
    code: 'checkpoint_damaged',
    message: `${path} is damaged: ${reason}`,
  });
}

const isIndex = (value: unknown) => Number.isSafeInteger(value) && (value as number) >= 0;
const isText = (value: unknown) => typeof value === 'string';

const shapes: Readonly<Record<string, (value: unknown, file: JsonObject) => boolean>> = {
  run_id: isText,
  workflow_path: isText,
  initial_input: (value) => value !== undefined,
  inputs: (value) => value !== undefined,
  top_level_labels: (value) => Array.isArray(value) && value.every(isText),
  completed_index: (value, { top_level_labels: labels }) =>
    value === null || (isIndex(value) && (value as number) < (labels as JsonValue[]).length),
  counter: isIndex,
  current_value: (value) => value !== undefined,
  steps_outputs: isObject,
  status: (value) => value === 'failed' || value === 'completed',
  failure: optional(
    ({ message, step, cancelled }) =>
      isText(message) &&
      (step === undefined || isText(step)) &&
      (cancelled === undefined || cancelled === true),
  ),
  parent: optional(({ run_id, from }) => isText(run_id) && isText(from)),
  started_at: (value) => value === undefined || isText(value),
  updated_at: (value) => value === undefined || isText(value),
  passed_values: (value) => value === undefined || (Array.isArray(value) && value.every(isObject)),
  state: optional(() => true),
  items: optional(
    ({ digest, results, steps }) =>
      /^[0-9a-f]{64}$/.test(String(digest)) && isObject(results) && (steps === undefined || isObject(steps)),
  ),
  // What was said is looked at when its secrets are back: they may stand anywhere in it.
  conversation: optional(
    ({ step, messages, cut_results: results }) =>
      isText(step) && Array.isArray(messages) && messages.every(isObject) && isObject(results),
  ),
};

/** An object of its own shape, or nothing. */
function optional(fits: (value: JsonObject) => boolean): (value: unknown) => boolean {
  return (value) => value === undefined || (isObject(value) && fits(value as JsonObject));
}

function shapeProblem(file: JsonObject): string | undefined {
  for (const [name, fits] of Object.entries(shapes)) {
    if (!fits(Object.hasOwn(file, name) ? file[name] : undefined, file)) {
      return `the field '${name}' is missing or holds something else than it should`;
    }
  }
  return undefined;
}
