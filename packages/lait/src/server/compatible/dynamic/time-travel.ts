import { randomUUID } from 'node:crypto';
import type { RunOrigin } from '../../../runs/rerun.js';
import { callOf } from '../../../runs/run-call.js';
import type { RunRecord } from '../../../runs/run-record.js';
import { isParked, isTerminal } from '../../../runs/run-status.js';
import { isObject, type JsonObject, type JsonValue, type Value } from '../../../values/value.js';
import type { Actor } from '../../access/scopes.js';
import { conflict } from '../../http/problem.js';
import type { ServerContext } from '../../server-context.js';
import { badRequest } from './errors.js';
import { type GraphEntry, graphEntries } from './graph-entries.js';
import { pastEntry } from './past-steps.js';
import { historyOf } from './run-view.js';
import { type GivenSteps, givenStep, pastBefore, type TravelledRun } from './travel-past.js';

/** Where a client wants to go. Source: dynamic facts §7. */
export interface TimeTravelBody {
  /** The step to begin at: one directly in the graph. */
  step: string | string[];
  /** What comes into the step. Default: what the entry before it came to. */
  inputData?: unknown;
  /** Answers the question of the step, where the run is suspended at it. */
  resumeData?: unknown;
  /** The workflow's state. Default: as it was before the step. */
  initialState?: unknown;
  /** Steps by id, in place of what is recorded of them. */
  context?: GivenSteps | null | undefined;
  requestContext?: unknown;
  /** Pauses behind the step. */
  perStep?: boolean | undefined;
}

/** The run to go back in; without a record it was not started yet. */
export interface TravelSource {
  id: string;
  workflow: string;
  record: RunRecord | undefined;
}

/**
 * Begins a run again at a step of its graph, with the steps before as they are recorded or given. What is begun is
 * recorded as a run of its own; the one before ends, when it has not ended yet. Throws an `HttpProblem`: 400 for a step
 * that is not there or lacks what comes before it, 409 while the run is worked on.
 */
export async function timeTravel(
  server: ServerContext,
  { id, workflow, record }: TravelSource,
  body: TimeTravelBody,
  actor: Actor,
): Promise<RunRecord> {
  if (record !== undefined && !isTerminal(record.status) && !isParked(record.status))
    throw conflict('run_active', 'This workflow run is still running, cannot time travel');
  const plan =
    record === undefined ? (await server.catalog.find(workflow)).plan : await server.catalog.load(record);
  const run: TravelledRun | undefined = record && {
    record: await server.runs.recorded(record.run_id),
    history: await historyOf(server, { id, record }),
  };
  const entries = graphEntries(plan);
  const target = targetOf(entries, body.step);
  const given = body.context ?? {};
  const { inputData } = body;
  const past =
    target.index === 0 ? undefined : await pastBefore(target, entries, run, { given, inputData }, server);
  const call = run && callOf(run.record);
  // What comes into the first entry is the input of the workflow.
  const first =
    givenStep(given, entries[0]?.stepIds[0])?.payload ?? (past === undefined ? inputData : undefined);
  const state = isObject(body.initialState)
    ? (body.initialState as JsonObject)
    : (past?.snapshot.state ?? call?.state);
  return server.runs.begin(
    plan,
    {
      value: first === undefined ? call?.value : (first as Value),
      inputs: first === undefined ? (call?.inputs ?? {}) : {},
      ...(state !== undefined && { state }),
      requestContext: {
        ...(call?.context as JsonObject | undefined),
        ...(body.requestContext as JsonObject | null),
      },
      course: {
        ...(past !== undefined && { from: { ...past.snapshot, ...(state !== undefined && { state }) } }),
        ...(body.perStep === true && { pauseBehind: target.index }),
      },
      events: past === undefined ? [] : [pastEntry(past)],
      runId: run === undefined ? id : randomUUID(),
      ...(record?.priority !== undefined && { priority: record.priority }),
    },
    run && originOf(run, target, body.resumeData),
    actor,
  );
}

function targetOf(entries: readonly GraphEntry[], step: string | string[]): GraphEntry {
  const withStep = (id: string | undefined) => entries.find(({ stepIds }) => stepIds.includes(id ?? ''));
  const isOwn = typeof step === 'string' && withStep(step) !== undefined;
  const [name, ...inner] = isOwn ? [step] : typeof step === 'string' ? step.split('.') : step;
  const found = withStep(name);
  if (found === undefined) {
    const ids = entries.flatMap(({ stepIds }) => stepIds).join(', ');
    throw badRequest(
      `Time travel target step not found in execution graph: '${[name, ...inner].join('.')}'. The steps are: ${ids}`,
    );
  }
  if (inner.length === 0) return found;
  throw badRequest(
    `Cannot time travel into '${name}': a workflow that is called begins at its beginning; name a step directly in the graph`,
  );
}

/** What a run takes over from the one that it goes back in: the answer to the question of its first step. */
function originOf({ record, history }: TravelledRun, target: GraphEntry, resumeData: unknown): RunOrigin {
  const origin = { runId: record.run_id, from: target.stepIds[0]! };
  if (resumeData === undefined) return origin;
  const open = history.openSteps(record).find(({ path }) => target.stepIds.includes(path[0] ?? ''));
  if (open === undefined)
    throw badRequest(
      `'resumeData' answers a suspended step, and '${origin.from}' is not suspended in this run`,
    );
  return { ...origin, answers: { [open.address]: resumeData as JsonValue } };
}
