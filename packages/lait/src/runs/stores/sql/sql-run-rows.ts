import type { Selectable } from 'kysely';
import type { JsonObject, JsonValue, Value } from '../../../values/value.js';
import type { RunDefinition, RunLogEvent, RunQuestion, RunRecord } from '../../run-record.js';
import type { RunChange } from '../../run-store.js';
import type { EventsTable, RunsTable } from '../database/tables.js';
import type { ValueCodec } from '../value-codec.js';

/** What a run's row says about the run itself. */
export type RunColumns = Omit<RunsTable, 'last_seq' | 'lease_worker' | 'lease_until' | 'lease_attempt'>;
type Row = Selectable<RunsTable>;

type Column = Exclude<keyof RunColumns, 'definition_digest'>;

/** Each column as a record says it, for all databases. */
const columns: { [C in Column]: (record: RunRecord, codec: ValueCodec) => RunColumns[C] } = {
  run_id: ({ run_id }) => run_id,
  form: ({ definition }) => definition.form,
  workflow: ({ definition }) => columnText(definition.id),
  source_run_id: ({ source_run_id = null }) => source_run_id,
  status: ({ status }) => status,
  revision: ({ revision }) => revision,
  priority: ({ priority = 0 }) => priority,
  value: ({ value }, codec) => encoded(value, codec),
  inputs: ({ inputs }, codec) => codec.encode(inputs),
  context: ({ context }, codec) => codec.encode(context),
  answers: ({ answers }, codec) => codec.encode(answers),
  result: ({ result }, codec) => encoded(result, codec),
  result_summary: ({ result_summary }, codec) => encoded(result_summary, codec),
  error_summary: ({ error_summary }, codec) => encoded(error_summary, codec),
  worker_instance_id: ({ worker_instance_id = null }) => worker_instance_id,
  created_at: ({ created_at }) => created_at,
  updated_at: ({ updated_at }) => updated_at,
  queued_at: ({ queued_at = null }) => queued_at,
  started_at: ({ started_at = null }) => started_at,
  finished_at: ({ finished_at = null }) => finished_at,
};

/** The row of a run. */
export function runColumns(record: RunRecord, definition_digest: string, codec: ValueCodec): RunColumns {
  const row: Record<string, unknown> = { definition_digest };
  for (const [name, column] of Object.entries(columns)) row[name] = column(record, codec);
  return row as unknown as RunColumns;
}

/** What a change leaves to be written of a row: the others stay, and with them what is indexed by them. */
export function changedColumns(record: RunRecord, change: RunChange, codec: ValueCodec): Partial<RunColumns> {
  const row: Record<string, unknown> = {};
  for (const name of [...Object.keys(change), 'revision', 'updated_at', 'queued_at'])
    if (Object.hasOwn(columns, name)) row[name] = columns[name as Column](record, codec);
  return row;
}

function encoded(value: Value, codec: ValueCodec): string | null {
  return value === undefined ? null : codec.encode(value);
}

/** The record of a row; `decode` gives its values for work or for show. */
export function recordOf(
  row: Row,
  definition: string,
  questions: readonly RunQuestion[],
  decode: (text: string) => JsonValue | undefined,
): RunRecord {
  return {
    run_id: row.run_id,
    definition: JSON.parse(definition) as RunDefinition,
    status: row.status,
    revision: row.revision,
    ...(row.value !== null && { value: decode(row.value) }),
    inputs: decode(row.inputs)!,
    context: decode(row.context) as JsonObject,
    ...(row.source_run_id !== null && { source_run_id: row.source_run_id }),
    ...(row.priority !== 0 && { priority: row.priority }),
    ...(row.worker_instance_id !== null && { worker_instance_id: row.worker_instance_id }),
    questions,
    answers: decode(row.answers) as JsonObject,
    ...(row.result !== null && { result: decode(row.result) }),
    ...(row.result_summary !== null && { result_summary: decode(row.result_summary) as string }),
    ...(row.error_summary !== null && { error_summary: decode(row.error_summary) as string }),
    created_at: row.created_at,
    updated_at: row.updated_at,
    ...(row.queued_at !== null && { queued_at: row.queued_at }),
    ...(row.started_at !== null && { started_at: row.started_at }),
    ...(row.finished_at !== null && { finished_at: row.finished_at }),
  };
}

export function eventOf(row: Selectable<EventsTable>): RunLogEvent {
  return {
    run_id: row.run_id,
    seq: row.seq,
    event_type: row.event_type,
    payload: JSON.parse(row.payload) as JsonObject,
    ...(row.event_key !== null && { key: JSON.parse(row.event_key) as string }),
    created_at: row.created_at,
  };
}

/** A text by which rows are found, in characters that every database takes. */
export function columnText(text: string): string {
  return /[\0\ud800-\udfff]/u.test(text) ? JSON.stringify(text) : text;
}
