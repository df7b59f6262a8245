import type { JsonObject } from '../values/value.js';
import { runConflict, runNotFound } from './run-errors.js';
import type { NewRunEvent, RunRecord } from './run-record.js';
import { isTerminal, mayChange, type RunStatus } from './run-status.js';
import type { RunChange, RunLease, RunStore, RunUpdate, RunUse } from './run-store.js';

/** What somebody wants to become of a run. */
export interface Decision {
  change: RunChange;
  /** What the log says before the change of status. */
  events?: readonly NewRunEvent[];
  /** What the log says behind it. */
  closing?: readonly NewRunEvent[];
}

export interface ChangeOptions {
  /** As what the record is read. */
  use?: RunUse;
  /** The record as it was just read, which spares a look. */
  known?: RunRecord;
  /** Whoever has claimed the run since then decides instead: throws `lease_lost`. */
  lease?: RunLease;
}

/**
 * Changes a run by comparing and setting: `decide` sees the newest record and says what becomes of it, or throws why it
 * cannot. When another change comes between, it is asked again. Gives `undefined` when `decide` does.
 */
export async function changeRun(
  store: RunStore,
  runId: string,
  decide: (record: RunRecord) => Decision | undefined | Promise<Decision | undefined>,
  { known, lease, use }: ChangeOptions = {},
): Promise<RunRecord | undefined> {
  for (let first = known; ; first = undefined) {
    const record = first ?? (await store.read(runId, use));
    if (record === undefined) throw runNotFound(runId);
    const decision = await decide(record);
    if (decision === undefined) return undefined;
    const update = updateOf(record, decision);
    const { revision } = record;
    const changed = await store.update(runId, { ...update, revision, lease, known: record });
    if (changed !== undefined) return changed;
  }
}

/** The change as it is stored: with the entry of the log and the time that belong to it. Throws `run_conflict`. */
export function updateOf(record: RunRecord, { change, events = [], closing = [] }: Decision): RunUpdate {
  const to = change.status ?? record.status;
  if (!mayChange(record.status, to)) throw runConflict(record, `cannot become ${to}`);
  const changed = to === record.status ? [] : [statusEvent(record.status, to, change)];
  return {
    change: { ...change, ...(isTerminal(to) && { finished_at: new Date().toISOString() }) },
    events: [...events, ...changed, ...closing],
  };
}

function statusEvent(
  from: RunStatus,
  status: RunStatus,
  { result_summary, error_summary }: RunChange,
): NewRunEvent {
  const payload: JsonObject = { from, status };
  if (result_summary !== undefined) payload.result_summary = result_summary;
  if (error_summary !== undefined) payload.error_summary = error_summary;
  return { event_type: 'run_status_changed', payload };
}
