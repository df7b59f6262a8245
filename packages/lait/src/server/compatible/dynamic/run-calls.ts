import { randomUUID } from 'node:crypto';
import { chooseOpenStep } from '../../../dialects/dynamic/open-steps.js';
import { type StreamEvent, StreamEvents } from '../../../dialects/dynamic/stream-events.js';
import { isLaitError } from '../../../errors/lait-error.js';
import type { RunRecord } from '../../../runs/run-record.js';
import type { JsonObject, JsonValue } from '../../../values/value.js';
import type { Actor } from '../../access/scopes.js';
import { conflict } from '../../http/problem.js';
import type { ServerContext } from '../../server-context.js';
import { badRequest, runNotFound } from './errors.js';
import { RequestedRuns } from './requested-runs.js';
import { historyOf } from './run-view.js';
import { servedWorkflow } from './served-workflows.js';

export interface StartBody {
  inputData?: unknown;
  initialState?: unknown;
  requestContext?: unknown;
  resourceId?: string | undefined;
}

export interface ResumeBody {
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
  ): Promise<RunRecord> {
    await servedWorkflow(this.server, this.workflow);
    const known = runId === undefined ? undefined : await this.requested.find(runId);
    if (known !== undefined && known.workflow !== this.workflow) throw runNotFound();
    if (mustExist && known === undefined) throw runNotFound();
    if (known?.state === 'canceled') throw conflict('run_canceled', `Workflow run '${runId}' was canceled`);
    const { inputData, initialState, requestContext, resourceId } = body;
    const record = await this.server.runs.create(
      {
        workflow: this.workflow,
        runId: runId ?? randomUUID(),
        ...(inputData !== undefined && { input: inputData as JsonValue }),
        ...(initialState !== undefined && initialState !== null && { state: initialState as JsonObject }),
        ...(requestContext !== undefined &&
          requestContext !== null && { requestContext: requestContext as JsonObject }),
      },
      actor,
    );
    await this.requested.request(record.run_id, this.workflow, resourceId);
    await this.requested.mark(record.run_id, 'started');
    return record;
  }

  /** The run, when it belongs to the workflow. Throws an `HttpProblem` (404). */
  async record(runId: string): Promise<RunRecord> {
    const record = await this.find(runId);
    if (record === undefined) throw runNotFound();
    return record;
  }

  async find(runId: string): Promise<RunRecord | undefined> {
    try {
      const record = await this.server.runs.get(runId);
      return record.definition.form === 'dynamic' && record.definition.id === this.workflow
        ? record
        : undefined;
    } catch (error) {
      if (isLaitError(error) && error.code === 'run_not_found') return undefined;
      throw error;
    }
  }

  /** Answers a suspended step. Gives the number of the last log entry before that. */
  async resume(runId: string, { step, resumeData, forEachIndex }: ResumeBody, actor: Actor): Promise<number> {
    const record = await this.record(runId);
    if (record.status !== 'waiting_hitl') throw badRequest('This workflow run was not suspended');
    const open = (await historyOf(this.server, record)).openSteps(record);
    const choice = {
      ...(step !== undefined && { step }),
      ...(forEachIndex !== undefined && { forEachIndex }),
    };
    let address: string;
    try {
      ({ address } = chooseOpenStep(open, choice, runId));
    } catch (error) {
      throw isLaitError(error) ? badRequest(error.message) : error;
    }
    const after = (await this.server.runs.events(runId)).at(-1)?.seq ?? 0;
    await this.server.runs.answer(runId, (resumeData ?? null) as JsonValue, address, actor);
    return after;
  }

  /** Ends a run, also one that was not started. What has ended already stays as it is. */
  async cancel(runId: string, actor: Actor): Promise<void> {
    const record = await this.find(runId);
    if (record !== undefined) {
      if (record.status !== 'cancelled') await this.server.runs.cancel(runId, actor);
      return;
    }
    await this.#pending(runId);
    await this.requested.mark(runId, 'canceled');
  }

  async remove(runId: string, actor: Actor): Promise<void> {
    if ((await this.find(runId)) !== undefined) await this.server.runs.remove(runId, actor);
    else await this.#pending(runId);
    await this.requested.remove(runId);
  }

  async #pending(runId: string): Promise<void> {
    const requested = await this.requested.find(runId);
    if (requested?.workflow !== this.workflow) throw runNotFound();
  }

  /** Resolves when the run has ended or waits. */
  async settled(runId: string, signal: AbortSignal): Promise<void> {
    for await (const _ of this.server.runs.follow(runId, { until: 'parked', signal })) {
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
