import type { Snapshot } from '../../engine/runtime.js';
import type { Plan } from '../../plan/plan.js';
import type { CreateRunOptions } from '../../runs/new-run.js';
import type { RerunOptions, RunOrigin } from '../../runs/rerun.js';
import type { RunCourse } from '../../runs/run-call.js';
import type { RunController, RunView } from '../../runs/run-controller.js';
import type { AttentionChoice } from '../../runs/run-questions.js';
import type { NewRunEvent, RunLogEvent, RunRecord } from '../../runs/run-record.js';
import { isTerminal } from '../../runs/run-status.js';
import type {
  InboxQuestion,
  QuestionFilter,
  RunFilter,
  RunSelection,
  RunStore,
} from '../../runs/run-store.js';
import type { JsonObject, JsonValue, Value } from '../../values/value.js';
import type { Audit } from '../access/audit.js';
import type { Actor } from '../access/scopes.js';
import type { FollowOptions, RunFeeds } from '../events/run-feeds.js';
import { conflict } from '../http/problem.js';
import type { WorkflowCatalog } from './workflow-catalog.js';

/** What a run is started with; the parts that a form does not know are left out. */
export interface NewRun {
  /** Id of a stored workflow or of one of the configuration. */
  workflow: string;
  /** Of a stored workflow. Default: the published one. */
  version?: number;
  revisionId?: string;
  runId?: string;
  /** The piped value of the steps form, the input of the dynamic form. */
  input?: Value;
  /** Named inputs of the steps and graph forms. */
  inputs?: JsonObject;
  state?: JsonObject;
  requestContext?: JsonObject;
  referenceTime?: string;
  priority?: number;
  /** Begins without a person's consent. Default: what the workflow says. */
  skipApproval?: boolean;
  /** Where it begins and pauses. */
  course?: RunCourse;
  /** Further entries for the beginning of the log. */
  events?: readonly NewRunEvent[];
}

export interface RunServiceOptions {
  store: RunStore;
  controller: RunController;
  catalog: WorkflowCatalog;
  feeds: RunFeeds;
  audit: Audit;
  /** Told of what failed behind a request. */
  onError: (error: unknown) => void;
  /** The value as people see it: names instead of secrets. */
  show: (value: JsonValue) => JsonValue;
}

/**
 * Runs of all forms, for everything that is served: what is done is audited, and whoever waits is woken by the store.
 */
export class RunService {
  constructor(private readonly options: RunServiceOptions) {}

  /**
   * Records a new run, which workers begin by themselves. Throws an `HttpProblem` (404, 409), a `DefinitionError`, or a
   * `UsageError` when the call does not fit the workflow, or `run_exists`.
   */
  async create(run: NewRun, actor: Actor): Promise<RunRecord> {
    const { catalog, controller, audit } = this.options;
    const { workflow, version, revisionId, input: value, ...options } = run;
    const { plan, skipApproval } = await catalog.find(workflow, { version, revisionId });
    const record = await controller.create(plan, {
      ...options,
      value,
      skipApproval: run.skipApproval ?? skipApproval,
    });
    // The run's own log says the same: nobody waits for this entry.
    audit.record(actor, 'run.created', record.run_id, { workflow }).catch(this.options.onError);
    return this.#shown(record);
  }

  /** Throws `run_not_found`, as every method that takes an id does. */
  get(runId: string): Promise<RunRecord> {
    return this.options.controller.read(runId, 'show');
  }

  /** With its values as runs work with them: never to be shown. */
  recorded(runId: string): Promise<RunRecord> {
    return this.options.controller.read(runId);
  }

  /** With every attempt of its nodes and its log. */
  view(runId: string): Promise<RunView> {
    return this.options.controller.view(runId, 'show');
  }

  list(filter?: RunFilter): Promise<RunRecord[]> {
    return this.options.store.list(filter);
  }

  count(selection?: RunSelection): Promise<number> {
    return this.options.store.count(selection);
  }

  async events(runId: string, range?: { after?: number; limit?: number }): Promise<RunLogEvent[]> {
    await this.get(runId);
    return this.options.store.events(runId, range);
  }

  /** The log as it grows; see `RunFeeds`. */
  follow(runId: string, options: FollowOptions): AsyncGenerator<RunLogEvent[]> {
    return this.options.feeds.follow(runId, options);
  }

  /** Open questions of all runs, the oldest first. */
  inbox(filter?: QuestionFilter): Promise<InboxQuestion[]> {
    return this.options.store.questions(filter);
  }

  async cancel(runId: string, actor: Actor): Promise<RunRecord> {
    // A call under way may take its time; the client is told that the cancel was taken.
    const record = await this.options.controller.requestCancel(runId);
    await this.#audit(actor, 'run.cancelled', record);
    return record;
  }

  async resume(runId: string, actor: Actor): Promise<RunRecord> {
    return this.#audit(actor, 'run.resumed', await this.options.controller.resume(runId));
  }

  async approve(runId: string, actor: Actor): Promise<RunRecord> {
    return this.#audit(actor, 'run.approved', await this.options.controller.approve(runId));
  }

  /** `question`: its address, or the id under which people know it; not needed when there is one. */
  async answer(
    runId: string,
    answer: JsonValue,
    question: string | undefined,
    actor: Actor,
    options: { pauseBehind?: number | undefined } = {},
  ): Promise<RunRecord> {
    const { controller } = this.options;
    return this.#audit(actor, 'run.answered', await controller.answer(runId, answer, question, options));
  }

  async decide(
    runId: string,
    choice: AttentionChoice,
    options: { address?: string; output?: JsonValue; reason?: string },
    actor: Actor,
  ): Promise<RunRecord> {
    return this.#audit(actor, 'run.decided', await this.options.controller.attention(runId, choice, options));
  }

  /** A new run of the same definition; `from` reuses what happened before that node of the top level. */
  async rerun(runId: string, options: RerunOptions, actor: Actor): Promise<RunRecord> {
    return this.#audit(actor, 'run.repeated', await this.options.controller.rerun(runId, options));
  }

  /**
   * A new run of a plan that begins somewhere else than at its beginning. `origin`: the run that it goes back to.
   * Throws what `create` throws.
   */
  async begin(
    plan: Plan,
    options: CreateRunOptions,
    origin: RunOrigin | undefined,
    actor: Actor,
  ): Promise<RunRecord> {
    const record = await this.options.controller.create(plan, options, origin);
    return this.#audit(actor, origin === undefined ? 'run.created' : 'run.repeated', record);
  }

  /** How a run stood behind a node of its top level that it has finished, with the values as they are. */
  snapshotBehind(runId: string, index: number): Promise<Snapshot | undefined> {
    return this.options.controller.snapshotBehind(runId, index);
  }

  /** Throws an `HttpProblem` (409 `run_not_ended`). */
  async remove(runId: string, actor: Actor): Promise<void> {
    const record = await this.get(runId);
    if (!isTerminal(record.status))
      throw conflict('run_not_ended', `run '${runId}' is ${record.status}; cancel it first`, {
        status: record.status,
      });
    await this.options.store.remove(runId);
    await this.#audit(actor, 'run.removed', record);
  }

  /** Removes a run that is kept no longer; nobody asked for it. */
  forget(runId: string): Promise<void> {
    return this.options.store.remove(runId);
  }

  async #audit(actor: Actor, action: string, record: RunRecord): Promise<RunRecord> {
    await this.options.audit.record(actor, action, record.run_id, { status: record.status });
    return this.#shown(record);
  }

  #shown(record: RunRecord): RunRecord {
    const { show } = this.options;
    const { value, result } = record;
    return {
      ...record,
      ...(value !== undefined && { value: show(value) }),
      inputs: show(record.inputs),
      context: show(record.context) as JsonObject,
      answers: show(record.answers) as JsonObject,
      ...(result !== undefined && { result: show(result) }),
    };
  }
}
