import type { StepRecord } from '../../../dialects/dynamic/step-records.js';
import type { Snapshot } from '../../../engine/runtime.js';
import { courseOf } from '../../../runs/run-call.js';
import type { RunRecord } from '../../../runs/run-record.js';
import { type JsonObject, ownProperty, setOwnProperty, type Value } from '../../../values/value.js';
import type { ServerContext } from '../../server-context.js';
import { badRequest } from './errors.js';
import { entryOutput, type GraphEntry } from './graph-entries.js';
import type { PastSteps } from './past-steps.js';
import type { RunHistory } from './run-history.js';

/** What a client says about a step of the past. */
export interface GivenStep {
  payload?: unknown;
  output?: unknown;
  startedAt?: number | undefined;
  endedAt?: number | undefined;
}

export type GivenSteps = Readonly<Record<string, GivenStep>>;

export function givenStep(given: GivenSteps, id: string | undefined): GivenStep | undefined {
  return id !== undefined && Object.hasOwn(given, id) ? given[id] : undefined;
}

/** The run that is gone back in, with its values as they are. */
export interface TravelledRun {
  record: RunRecord;
  history: RunHistory;
}

/** What lies before the step that a run is begun at again. */
export interface TravelPast extends PastSteps {
  snapshot: Snapshot;
}

/**
 * What the entries before `target` came to: as it is recorded, or as it is given. Steps of a run that was never started
 * are taken to have given an empty object. Throws an `HttpProblem` (400) for steps that are neither recorded nor given.
 */
export async function pastBefore(
  target: GraphEntry,
  entries: readonly GraphEntry[],
  run: TravelledRun | undefined,
  said: { given: GivenSteps; inputData: unknown },
  server: ServerContext,
): Promise<TravelPast> {
  const before = entries.slice(0, target.index);
  const { inputData } = said;
  const given = withInput(before, said);
  const recorded = before.filter(({ path }) => run?.history.hasCompleted(path) === true);
  const last = recorded.at(-1)?.index ?? -1;
  const base =
    run !== undefined && last >= 0 ? await snapshotOf(run.record, last, before, server) : undefined;
  if (run !== undefined) requireAll(target, before.slice(last + 1), given);
  const outputs: JsonObject = { ...base?.steps };
  let value: Value = base?.value;
  // What a later entry came to says nothing about an earlier one, but for those that only wait.
  const decisive = recorded.findLast(({ isSleep }) => !isSleep)?.index ?? -1;
  for (const entry of before) {
    for (const id of entry.stepIds) {
      if (Object.hasOwn(given, id)) setOwnProperty(outputs, id, (given[id]!.output ?? {}) as never);
      else if (entry.index > last && !entry.isConditional && !entry.isSleep) setOwnProperty(outputs, id, {});
    }
    const isGiven = entry.stepIds.some((id) => Object.hasOwn(given, id));
    if (!entry.isSleep && (entry.index > last || (entry.index === decisive && isGiven)))
      value = entryOutput(entry, outputs);
  }
  if (inputData !== undefined) value = inputData as Value;
  const own = givenStep(given, target.stepIds[0])?.payload;
  if (own !== undefined) value = own as Value;
  return {
    snapshot: {
      completedIndex: target.index - 1,
      value,
      steps: outputs,
      // Absent: as the run itself takes its input.
      inputs: base?.inputs,
      state: base?.state ?? {},
      counter: target.index,
    },
    steps: stepRecords(before, outputs, run?.history, given),
    completed: before.map(({ path }) => path),
  };
}

/** What comes into a step is what the step before gave. */
function withInput(
  before: readonly GraphEntry[],
  { given, inputData }: { given: GivenSteps; inputData: unknown },
): GivenSteps {
  const [previous, ...others] = before.findLast(({ isSleep }) => !isSleep)?.stepIds ?? [];
  const isOne = previous !== undefined && others.length === 0 && !Object.hasOwn(given, previous);
  return inputData === undefined || !isOne ? given : { ...given, [previous]: { output: inputData } };
}

/** How the run stood behind an entry that it has finished, or finished before it began in the middle. */
async function snapshotOf(
  record: RunRecord,
  index: number,
  before: readonly GraphEntry[],
  server: ServerContext,
): Promise<Snapshot | undefined> {
  const found = await server.runs.snapshotBehind(record.run_id, index);
  const { from } = courseOf(record);
  if (found !== undefined || from === undefined) return found;
  const ids = new Set(before.flatMap(({ stepIds }) => stepIds));
  const steps = Object.fromEntries(Object.entries(from.steps).filter(([id]) => ids.has(id)));
  const decisive = before.findLast(({ isSleep }) => !isSleep);
  return { ...from, steps, value: decisive === undefined ? from.inputs : entryOutput(decisive, steps) };
}

function requireAll(target: GraphEntry, unknown: readonly GraphEntry[], given: GivenSteps): void {
  const missing = unknown.flatMap(({ stepIds, isConditional, isSleep }) => {
    const absent = stepIds.filter((id) => !Object.hasOwn(given, id));
    return isSleep || (isConditional && absent.length < stepIds.length) ? [] : absent;
  });
  if (missing.length === 0) return;
  throw badRequest(
    `Cannot time travel to step '${target.stepIds[0]}': the run has not finished ${missing.map((id) => `'${id}'`).join(', ')} before it; say in 'context' what they gave`,
  );
}

function stepRecords(
  before: readonly GraphEntry[],
  outputs: JsonObject,
  history: RunHistory | undefined,
  given: GivenSteps,
): { [id: string]: StepRecord } {
  const recorded = history?.steps() ?? {};
  const records: { [id: string]: StepRecord } = {};
  for (const id of before.flatMap(({ stepIds }) => stepIds)) {
    const known = ownProperty(recorded, id) as StepRecord | undefined;
    if (Object.hasOwn(given, id) || (known === undefined && Object.hasOwn(outputs, id))) {
      const { payload, startedAt, endedAt } = givenStep(given, id) ?? {};
      setOwnProperty(records, id, {
        ...known,
        status: 'success',
        ...(payload !== undefined && { payload }),
        output: outputs[id],
        ...(startedAt !== undefined && { startedAt }),
        ...(endedAt !== undefined && { endedAt }),
      });
    } else if (known !== undefined) setOwnProperty(records, id, known);
  }
  return records;
}
