import { isLaitError, LaitError } from '../../../errors/lait-error.js';
import { readTextFile } from '../../../files/read-file.js';
import { isObject, type JsonObject, type JsonValue } from '../../../values/value.js';
import type { RunLogEvent, RunRecord } from '../../run-record.js';
import type { RunUse } from '../../run-store.js';
import type { ValueCodec } from '../value-codec.js';
import { damaged } from './json-lines.js';

/** The format that this version writes and reads. */
const format = 1;
const recordType = 'run';
/** A record holds values without a limit of its own; this is what a text in memory can be. */
const maxBytes = 512 * 1024 * 1024;

/** What the file of a run says. */
export interface RunSnapshot {
  /** The record as it is stored. */
  stored: JsonObject;
  /** Events of the last change: they belong to the log and may not yet be in its file. */
  pending: readonly RunLogEvent[];
}

/** The text of a run's file. */
export function snapshotText({ stored, pending }: RunSnapshot): string {
  return `${JSON.stringify({ format, record_type: recordType, record: stored, pending_events: pending })}\n`;
}

/** The run that a file holds. Throws, for work, what `SecretCodec.restore` throws. */
export function recordOf({ stored }: RunSnapshot, codec: ValueCodec, use: RunUse = 'work'): RunRecord {
  return codec.unpack(stored, use === 'show') as unknown as RunRecord;
}

/**
 * Reads the file of a run. `undefined` when there is none, or when it records a run of another kind. Throws a
 * `LaitError`: `file_damaged`, `file_newer`, `file_unreadable`.
 */
export async function readSnapshot(path: string): Promise<RunSnapshot | undefined> {
  let text: string;
  try {
    text = await readTextFile(path, { maxBytes, pipes: false });
  } catch (error) {
    if (isLaitError(error) && error.code === 'file_not_found') return undefined;
    if (isLaitError(error) && error.code === 'file_not_utf8') throw damaged(path, 'it is no UTF-8 text');
    throw error;
  }
  let file: unknown;
  try {
    file = JSON.parse(text);
  } catch {
    throw damaged(path, text.trim() === '' ? 'it is empty' : 'it is no complete JSON');
  }
  if (!isObject(file) || file.record_type !== recordType) return undefined;
  if (typeof file.format !== 'number') throw damaged(path, 'it names no format');
  if (file.format > format)
    throw new LaitError({
      code: 'file_newer',
      message: `${path} was written by a newer lait (format ${file.format}, this one reads ${format}); use that version`,
    });
  const { record, pending_events: pending } = file;
  if (!isRecord(record) || !Array.isArray(pending)) throw damaged(path, 'it has not the shape of a run');
  return { stored: record, pending: pending as unknown as RunLogEvent[] };
}

function isRecord(value: JsonValue | undefined): value is JsonObject {
  return (
    isObject(value) &&
    typeof value.run_id === 'string' &&
    typeof value.status === 'string' &&
    Number.isSafeInteger(value.revision) &&
    typeof value.created_at === 'string' &&
    isObject(value.definition) &&
    isObject(value.answers) &&
    Array.isArray(value.questions)
  );
}
