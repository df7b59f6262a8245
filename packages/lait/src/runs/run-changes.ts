import type { JsonObject } from '../values/value.js';
import { runConflict, runNotFound } from './run-errors.js';
import type { NewRunEvent, RunRecord } from './run-record.js';
import { isTerminal, mayChange, type RunStatus } from './run-status.js';
import type { RunChange, RunStore } from './run-store.js';

/** A change of a run, with what the log says about it. */
export interface Decision {
  change: RunChange;
  events?: readonly NewRunEvent[];
}

/**
 * Changes a run by comparing and setting (`known`: the record as it was just read, which spares a look): `decide` sees the newest record and says what becomes of it, or throws why it
 * cannot. When another change comes between, it is asked again. Gives `undefined` when `decide` does.
 */
export async function changeRun(
  store: RunStore,
  runId: string,
  decide: (record: RunRecord) => Decision | undefined,
  known?: RunRecord,
): Promise<RunRecord | undefined> {
  for (let first = known; ; first = undefined) {
    const record = first ?? (await store.read(runId));
    if (record === undefined) throw runNotFound(runId);
    const decision = decide(record);
    if (decision === undefined) return undefined;
    const { change, events = [] } = decision;
    const to = change.status ?? record.status;
    if (!mayChange(record.status, to)) throw runConflict(record, `cannot become ${to}`);
    const now = new Date().toISOString();
    const changed = await store.update(
      runId,
      record.revision,
      { ...change, ...(isTerminal(to) && { finished_at: now }) },
      [...events, ...(to === record.status ? [] : [statusEvent(record.status, to, change)])],
    );
    if (changed !== undefined) return changed;
  }
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
