import type { Selectable } from 'kysely';
import type { Form } from '../../plan/plan.js';
import type { JsonObject, JsonValue } from '../../values/value.js';
import type { RunDefinition, RunLogEvent, RunQuestion, RunRecord } from '../run-record.js';
import type { RunStatus } from '../run-status.js';
import type { EventsTable, RunsTable } from './database/tables.js';
import { digest } from './digest.js';
import type { ValueCodec } from './value-codec.js';

/** What a run's row says about the run itself. */
export type RunColumns = Omit<RunsTable, 'last_seq' | 'lease_worker' | 'lease_until' | 'lease_attempt'>;
type Row = Selectable<RunsTable>;

/** The definition as it is stored once for all runs that share it. */
export function pinnedDefinition(record: RunRecord): { digest: string; definition: string } {
  const definition = JSON.stringify(record.definition);
  return { digest: digest(definition), definition };
}

/** The row of a run, for all databases. */
export function runColumns(record: RunRecord, definitionDigest: string, codec: ValueCodec): RunColumns {
  const { definition, value, result, result_summary, error_summary } = record;
  return {
    run_id: record.run_id,
    form: definition.form,
    workflow: columnText(definition.id),
    definition_digest: definitionDigest,
    source_run_id: record.source_run_id ?? null,
    status: record.status,
    revision: record.revision,
    priority: record.priority ?? 0,
    value: value === undefined ? null : codec.encode(value),
    inputs: codec.encode(record.inputs),
    context: codec.encode(record.context),
    answers: codec.encode(record.answers),
    result: result === undefined ? null : codec.encode(result),
    result_summary: result_summary === undefined ? null : codec.encode(result_summary),
    error_summary: error_summary === undefined ? null : codec.encode(error_summary),
    worker_instance_id: record.worker_instance_id ?? null,
    created_at: record.created_at,
    updated_at: record.updated_at,
    queued_at: record.queued_at ?? null,
    started_at: record.started_at ?? null,
    finished_at: record.finished_at ?? null,
  };
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
    status: row.status as RunStatus,
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

export function formOf(text: string): Form {
  return text as Form;
}

/** A text by which rows are found, in characters that every database takes. */
export function columnText(text: string): string {
  return /[\0\ud800-\udfff]/u.test(text) ? JSON.stringify(text) : text;
}
