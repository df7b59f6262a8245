import type { Journal } from '../engine/journal.js';
import type { Snapshot } from '../engine/runtime.js';
import { RecordedRun } from '../engine/runtimes/recorded.js';
import { CancelledError } from '../errors/errors.js';
import type { Plan } from '../plan/plan.js';
import { startPlan } from '../run-plan.js';
import { callOf, courseOf } from './run-call.js';
import type { RunEnvironment } from './run-environment.js';
import type { RunRecord } from './run-record.js';

/**
 * How a run stood behind a node of its top level: computed again from what is recorded, without doing or recording
 * anything. The run must have finished the node; `undefined` when it began behind it.
 */
export async function snapshotBehind(
  record: RunRecord,
  index: number,
  plan: Plan,
  { store, services }: Pick<RunEnvironment, 'store' | 'services'>,
): Promise<Snapshot | undefined> {
  const { run_id: runId, answers } = record;
  const { from } = courseOf(record);
  if (from !== undefined && from.completedIndex >= index)
    return from.completedIndex === index ? from : undefined;
  let found: Snapshot | undefined;
  const stop = new AbortController();
  const run = new RecordedRun({
    runId,
    journal: readOnly(await store.journal(runId)),
    answerer: async (_question, { address }) =>
      Object.hasOwn(answers, address) ? answers[address] : undefined,
    onSnapshot: async (snapshot) => {
      if (snapshot.completedIndex !== index) return;
      found = snapshot;
      stop.abort(new CancelledError());
    },
  });
  const handle = startPlan(plan, callOf(record), {
    services: services(record.definition),
    runId,
    signal: stop.signal,
    run,
    ...(from !== undefined && { from }),
  });
  await handle.settled();
  return found;
}

/** What would have to be recorded did not happen in that part of the run. */
function readOnly(journal: Journal): Journal {
  return {
    find: (type, address) => journal.find(type, address),
    append: async ({ type, address }) => {
      throw new Error(`'${address}' has no recorded outcome (${type})`);
    },
  };
}
