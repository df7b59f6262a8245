import type { JournalEntry } from '../engine/journal.js';
import type { Plan } from '../plan/plan.js';
import { isObject, type JsonObject, type JsonValue } from '../values/value.js';
import type { CreateRunOptions } from './new-run.js';
import { NodePlaces, nodeName } from './node-places.js';
import { nodeRows } from './node-rows.js';
import { callOf, limitsOf } from './run-call.js';
import type { RunEnvironment } from './run-environment.js';
import { runConflict } from './run-errors.js';
import type { RunRecord } from './run-record.js';

/** How a run is repeated. */
export interface RerunOptions {
  /** Default: those of the run. */
  inputs?: JsonValue;
  /** Single inputs in place of those. */
  changedInputs?: JsonObject;
  /** Id or path of a node of the top level. Default: the beginning. */
  from?: string;
  skipApproval?: boolean;
  runId?: string;
}

/** What a repeated run takes over from the one it repeats. */
export interface RunOrigin {
  runId: string;
  /** The node that it begins with. */
  from?: string;
  entries?: readonly JournalEntry[];
  answers?: JsonObject;
}

/** The call of a run that repeats another one: as that was called, but for what the options say. */
export function callAgain(source: RunRecord, options: RerunOptions): CreateRunOptions {
  const { inputs = source.inputs, changedInputs, skipApproval, runId } = options;
  const { state, context } = callOf(source);
  return {
    value: source.value,
    inputs: changedInputs === undefined ? inputs : { ...(isObject(inputs) ? inputs : {}), ...changedInputs },
    state,
    requestContext: context as JsonObject,
    skipApproval,
    priority: source.priority,
    limits: limitsOf(source),
    runId,
  };
}

/**
 * What happened in a run before a node of its top level first began. Throws `run_conflict` when the node was never
 * reached. Source: field report FR-43.
 */
export async function originBefore(
  record: RunRecord,
  from: string,
  plan: Plan,
  { store, kinds }: RunEnvironment,
): Promise<RunOrigin> {
  const { run_id: runId, answers } = record;
  const top = new Set(plan.body.nodes.map((node) => nodeName(plan, node)));
  const order = nodeRows(await store.events(runId)).filter(({ activation_id }) => activation_id !== null);
  const begun = order.map(({ node_id }) => node_id).filter((id) => top.has(id));
  const at = begun.indexOf(from);
  if (at < 0) throw runConflict(record, `never reached a node '${from}' of its top level`);
  const kept = new Set(begun.slice(0, at));
  const places = new NodePlaces(runId, plan, kinds, {});
  const isKept = (address: string) => kept.has(places.at(address.split('>')[0]!)?.node_id ?? '');
  const journal = await store.journal(runId);
  return {
    runId,
    from,
    entries: [...journal.entries].filter(({ address }) => isKept(address)),
    answers: Object.fromEntries(Object.entries(answers).filter(([address]) => isKept(address))),
  };
}
