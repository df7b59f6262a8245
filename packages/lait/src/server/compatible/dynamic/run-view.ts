import type { RunRecord } from '../../../runs/run-record.js';
import type { JsonObject } from '../../../values/value.js';
import type { ServerContext } from '../../server-context.js';
import type { DynamicRun } from './dynamic-run.js';
import { graphEntries } from './graph-entries.js';
import type { RequestedRun } from './requested-runs.js';
import { errorOf, initialStateOf, RunHistory, resultOf } from './run-history.js';
import { definitionOf } from './served-workflows.js';
import { stepGraphOf } from './workflow-view.js';

/** So many entries of a log are read at once. */
const batchSize = 500;

/** What happened in a run so far, from its log. */
export async function historyOf(server: ServerContext, run: DynamicRun): Promise<RunHistory> {
  const { record } = run;
  const history = new RunHistory(await server.catalog.load(record), run);
  for (let after = 0; ; ) {
    const batch = await server.runs.events(record.run_id, { after, limit: batchSize });
    for (const entry of batch) history.add(entry, record);
    if (batch.length < batchSize) return history;
    after = batch.at(-1)!.seq;
  }
}

/** The result object of a run as it stands now. */
export async function runResult(
  server: ServerContext,
  { id, record }: DynamicRun,
): Promise<Record<string, unknown>> {
  const run = { id, record: await server.runs.get(record.run_id) };
  return resultOf(await historyOf(server, run), run);
}

/** What `GET …/runs/:runId` tells; `fields` keeps what belongs to every run and what is asked for. */
export async function runDetails(
  server: ServerContext,
  run: DynamicRun,
  fields: readonly string[] | undefined,
): Promise<Record<string, unknown>> {
  const { record } = run;
  const history = await historyOf(server, run);
  const { input, ...steps } = history.steps();
  const status = history.status(record);
  const paths = pathsOf(history, record);
  const details: Record<string, unknown> = {
    initialState: initialStateOf(record),
    result: record.result,
    ...(status === 'failed' && { error: errorOf(history, record) }),
    payload: record.value,
    steps,
    activeStepsPath: paths.active,
    serializedStepGraph: stepGraphOf(definitionOf(history.plan)),
    suspendedPaths: paths.suspended,
    resumeLabels: {},
    waitingPaths: paths.waiting,
  };
  const head = {
    ...headOf(run),
    status,
  };
  if (fields === undefined) return { ...head, ...details };
  return {
    ...head,
    ...Object.fromEntries(Object.entries(details).filter(([name]) => fields.includes(name))),
  };
}

/** The same of a run that was not started. */
export function pendingDetails(requested: RequestedRun): Record<string, unknown> {
  return {
    ...pendingHead(requested),
    status: requested.state === 'canceled' ? 'canceled' : 'pending',
    payload: {},
    steps: {},
    activeStepsPath: {},
    serializedStepGraph: [],
    suspendedPaths: {},
    resumeLabels: {},
    waitingPaths: {},
  };
}

/** A row of a list. */
export async function runRow(server: ServerContext, run: DynamicRun): Promise<Record<string, unknown>> {
  const { id, record } = run;
  const history = await historyOf(server, run);
  const status = history.status(record);
  const paths = pathsOf(history, record);
  const snapshot = {
    runId: id,
    status,
    value: {},
    context: history.steps(),
    activePaths: Object.values(paths.active)[0] ?? [],
    activeStepsPath: paths.active,
    serializedStepGraph: stepGraphOf(definitionOf(history.plan)),
    suspendedPaths: paths.suspended,
    resumeLabels: {},
    waitingPaths: paths.waiting,
    ...(record.result !== undefined && { result: record.result }),
    ...(status === 'failed' && { error: errorOf(history, record) }),
    timestamp: Date.parse(record.updated_at),
  };
  return { ...headOf(run), snapshot };
}

function headOf({ id, record, requested }: DynamicRun): Record<string, unknown> {
  return {
    runId: id,
    workflowName: record.definition.id,
    ...(requested?.resourceId !== undefined && { resourceId: requested.resourceId }),
    createdAt: record.created_at,
    updatedAt: record.updated_at,
  };
}

/** The same of a run that was not started. */
export function pendingRow(requested: RequestedRun): Record<string, unknown> {
  const { runId, state } = requested;
  const status = state === 'canceled' ? 'canceled' : 'pending';
  const snapshot = {
    runId,
    status,
    value: {},
    context: {},
    activePaths: [],
    suspendedPaths: {},
    waitingPaths: {},
  };
  return { ...pendingHead(requested), snapshot };
}

function pendingHead({ runId, workflow, resourceId, createdAt, updatedAt }: RequestedRun) {
  return {
    runId,
    workflowName: workflow,
    ...(resourceId !== undefined && { resourceId }),
    createdAt,
    updatedAt,
  };
}

interface StepPaths {
  active: Record<string, number[]>;
  suspended: Record<string, number[]>;
  waiting: Record<string, number[]>;
}

/** Where steps that have not ended stand in the graph, by id: index of the entry, then of the step in it. */
function pathsOf(history: RunHistory, record: RunRecord): StepPaths {
  const paths: StepPaths = { active: {}, suspended: {}, waiting: {} };
  const places = stepPlaces(history);
  for (const [id, step] of Object.entries(history.steps())) {
    if (id === 'input') continue;
    const { status } = step as unknown as JsonObject;
    const place = places.get(id) ?? [];
    if (status === 'running') paths.active[id] = place;
    else if (status === 'waiting') paths.waiting[id] = place;
  }
  for (const { path } of history.openSteps(record)) paths.suspended[path[0]!] = places.get(path[0]!) ?? [];
  return paths;
}

function stepPlaces({ plan }: RunHistory): Map<string, number[]> {
  const places = graphEntries(plan).flatMap(({ index, stepIds, isObject }) =>
    stepIds.map((id, position): [string, number[]] => [id, isObject ? [index, position] : [index]]),
  );
  return new Map(places);
}
