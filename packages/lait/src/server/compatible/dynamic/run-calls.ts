import { randomUUID } from 'node:crypto';
import { chooseOpenStep, type OpenStep } from '../../../dialects/dynamic/open-steps.js';
import { type StreamEvent, StreamEvents } from '../../../dialects/dynamic/stream-events.js';
import { isLaitError } from '../../../errors/lait-error.js';
import type { RunRecord } from '../../../runs/run-record.js';
import { isParked, isTerminal } from '../../../runs/run-status.js';
import type { JsonObject, JsonValue } from '../../../values/value.js';
import type { Actor } from '../../access/scopes.js';
import { conflict } from '../../http/problem.js';
import type { ServerContext } from '../../server-context.js';
import type { DynamicRun } from './dynamic-run.js';
import { badRequest, runNotFound } from './errors.js';
import { graphEntries } from './graph-entries.js';
import { type RequestedRun, RequestedRuns } from './requested-runs.js';
import { historyOf } from './run-view.js';
import { servedWorkflow } from './served-workflows.js';
import { type TimeTravelBody, timeTravel } from './time-travel.js';

/** How long a resume waits for a run to be suspended, as the interface's clients know it. */
const patienceMs = 2000;

export interface StartBody {
  inputData?: unknown;
  initialState?: unknown;
  requestContext?: unknown;
  resourceId?: string | undefined;
  /** Pauses behind the first step. */
  perStep?: boolean | undefined;
}

export interface ResumeBody {
  /** Pauses behind the step. */
  perStep?: boolean | undefined;
  step?: string | string[] | undefined;
  resumeData?: unknown;
  forEachIndex?: number | undefined;
}

/** What clients of the dynamic form's interface do with runs of one workflow. */
export class RunCalls {
  readonly requested: RequestedRuns;

  constructor(
    private readonly server: ServerContext,
    readonly workflow: string,
  ) {
    this.requested = new RequestedRuns(server.database);
  }

  /** An id for a run that is started later. */
  async request({
    runId = randomUUID(),
    resourceId,
  }: {
    runId?: string | undefined;
    resourceId?: string | undefined;
  }): Promise<string> {
    await servedWorkflow(this.server, this.workflow);
    await this.requested.request(runId, this.workflow, resourceId);
    return runId;
  }

  /** Starts a run that was asked for; one that was not is asked for at once, unless `mustExist`. */
  async start(
    runId: string | undefined,
    body: StartBody,
    actor: Actor,
    { mustExist = false }: { mustExist?: boolean } = {},
  ): Promise<DynamicRun> {
    await servedWorkflow(this.server, this.workflow);
    const known = runId === undefined ? undefined : await this.requested.find(runId);
    if (known !== undefined && known.workflow !== this.workflow) throw runNotFound();
    if (mustExist && known === undefined) throw runNotFound();
    if (known?.state === 'canceled') throw conflict('run_canceled', `Workflow run '${runId}' was canceled`);
    const { inputData, initialState, requestContext, resourceId, perStep } = body;
    const record = await this.server.runs.create(
      {
        workflow: this.workflow,
        runId: runId ?? randomUUID(),
        ...(inputData !== undefined && { input: inputData as JsonValue }),
        ...(initialState !== undefined && initialState !== null && { state: initialState as JsonObject }),
        ...(requestContext !== undefined &&
          requestContext !== null && { requestContext: requestContext as JsonObject }),
        ...(perStep === true && { course: { pauseBehind: 0 } }),
      },
      actor,
    );
    await this.requested.request(record.run_id, this.workflow, resourceId);
    await this.requested.mark(record.run_id, 'started');
    return { id: record.run_id, record };
  }

  /** Begins a run again at a step, also one that was not started yet. Throws what `timeTravel` throws. */
  async timeTravel(runId: string, body: TimeTravelBody, actor: Actor): Promise<DynamicRun> {
    await servedWorkflow(this.server, this.workflow);
    const before = await this.find(runId);
    if (before === undefined) {
      const { state } = await this.#pending(runId);
      if (state === 'canceled') throw conflict('run_canceled', `Workflow run '${runId}' was canceled`);
    }
    const source = { id: runId, workflow: this.workflow, record: before?.record };
    const record = await timeTravel(this.server, source, body, actor);
    if (before === undefined) await this.requested.mark(runId, 'started');
    else {
      await this.requested.replace(runId, this.workflow, before.record.run_id, record.run_id);
      // Nobody is asked for a past that is left behind.
      if (!isTerminal(before.record.status)) await this.server.runs.cancel(before.record.run_id, actor);
    }
    return { id: runId, record };
  }

  /** The run, when it belongs to the workflow. Throws an `HttpProblem` (404). */
  async run(runId: string): Promise<DynamicRun> {
    const run = await this.find(runId);
    if (run === undefined) throw runNotFound();
    return run;
  }

  async find(runId: string, known?: RequestedRun): Promise<DynamicRun | undefined> {
    const requested = known ?? (await this.requested.find(runId));
    const record = await this.#record(requested?.currentRunId || runId);
    return record && { id: runId, record, requested };
  }

  async #record(runId: string): Promise<RunRecord | undefined> {
    try {
      const record = await this.server.runs.get(runId);
      const { form, id } = record.definition;
      return form === 'dynamic' && id === this.workflow ? record : undefined;
    } catch (error) {
      if (isLaitError(error) && error.code === 'run_not_found') return undefined;
      throw error;
    }
  }

  /** Answers a suspended step. Gives the run with the number of the last log entry before that. */
  async resume(
    runId: string,
    { step, resumeData, forEachIndex, perStep }: ResumeBody,
    actor: Actor,
  ): Promise<{ run: DynamicRun; after: number }> {
    // Who names no step means what is suspended now.
    const run = step === undefined ? await this.run(runId) : await this.#rested(runId);
    const { record } = run;
    if (record.status !== 'waiting_hitl') throw badRequest('This workflow run was not suspended');
    const history = await historyOf(this.server, run);
    const choice = {
      ...(step !== undefined && { step }),
      ...(forEachIndex !== undefined && { forEachIndex }),
    };
    let chosen: OpenStep;
    try {
      chosen = chooseOpenStep(history.openSteps(record), choice, runId);
    } catch (error) {
      throw isLaitError(error) ? badRequest(error.message) : error;
    }
    const after = (await this.server.runs.events(record.run_id)).at(-1)?.seq ?? 0;
    const entry = graphEntries(history.plan).find(({ stepIds }) => stepIds.includes(chosen.path[0]!));
    const answer = (resumeData ?? null) as JsonValue;
    await this.server.runs.answer(record.run_id, answer, chosen.address, actor, {
      ...(perStep === true && { pauseBehind: entry?.index }),
    });
    return { run, after };
  }

  /** The run when it has come to where it waits: it may have been set going by a call that does not wait. */
  async #rested(runId: string): Promise<DynamicRun> {
    const run = await this.run(runId);
    if (isParked(run.record.status) || isTerminal(run.record.status)) return run;
    await this.settled(run, AbortSignal.timeout(patienceMs));
    return this.run(runId);
  }

  /** Lets a run go on that has paused, or that its process left behind. */
  async restart(runId: string, actor: Actor): Promise<{ run: DynamicRun; after: number }> {
    const run = await this.run(runId);
    const after = (await this.server.runs.events(run.record.run_id)).at(-1)?.seq ?? 0;
    await this.server.runs.resume(run.record.run_id, actor);
    return { run, after };
  }

  /** Ends a run, also one that was not started. What has ended already stays as it is. */
  async cancel(runId: string, actor: Actor): Promise<void> {
    const run = await this.find(runId);
    if (run !== undefined) {
      const { run_id, status } = run.record;
      if (status !== 'cancelled') await this.server.runs.cancel(run_id, actor);
      return;
    }
    await this.#pending(runId);
    await this.requested.mark(runId, 'canceled');
  }

  /** Removes a run that has ended, with its past. */
  async remove(runId: string, actor: Actor): Promise<void> {
    let current = (await this.find(runId))?.record;
    if (current === undefined) await this.#pending(runId);
    while (current !== undefined) {
      const { run_id, source_run_id } = current;
      await this.server.runs.remove(run_id, actor);
      await this.requested.remove(run_id);
      current =
        run_id === runId || source_run_id === undefined ? undefined : await this.#record(source_run_id);
    }
    await this.requested.remove(runId);
  }

  async #pending(runId: string): Promise<RequestedRun> {
    const requested = await this.requested.find(runId);
    if (requested?.workflow !== this.workflow) throw runNotFound();
    return requested;
  }

  /** Resolves when the run has ended or waits. */
  async settled({ record }: DynamicRun, signal: AbortSignal): Promise<void> {
    for await (const _ of this.server.runs.follow(record.run_id, { until: 'parked', signal })) {
      // Only the end of it counts.
    }
  }
}

/** The stream of a run whose input was refused: it begins and fails. Source: dynamic facts §6.2. */
export async function refusedStream(server: ServerContext, workflow: string, runId: string, message: string) {
  const { plan } = await server.catalog.find(workflow);
  const events: StreamEvent[] = [];
  new StreamEvents(plan, runId, (event) => events.push(event)).refuse(message);
  return events;
}
