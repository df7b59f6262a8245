import type { RunEvent } from './engine/events.js';
import type { Snapshot } from './engine/runtime.js';
import type { OpenQuestion } from './engine/runtimes/memory.js';
import type { RunResult } from './engine/start-run.js';
import type { ConversationLog, ItemLog, Outcome } from './kinds/kind.js';
import { type UsageJson, UsageReport } from './observe/usage-report.js';
import type { InputDeclarations } from './plan/inputs.js';
import type { Plan, PlanCall } from './plan/plan.js';
import type { RunPlanOptions } from './run-plan.js';
import type { JsonObject, Value } from './values/value.js';

/** What a run is given. */
export interface WorkflowRunOptions {
  /** The first value, PROMPT on the command line. */
  input?: Value;
  /** Named inputs, checked against the workflow's declaration. */
  inputs?: JsonObject;
  /** Cancels the run: steps under way are stopped and awaited. */
  signal?: AbortSignal;
  /** Told of everything that happens, in order. */
  onEvent?: (event: RunEvent) => void;
  /** Default: a new random id. */
  runId?: string;
  /** Told of the state after each top-level step, and awaited. */
  onSnapshot?: (snapshot: Snapshot) => Promise<void>;
  /** Keeps the results of single items of top-level loops. */
  itemLog?: ItemLog;
  /** Keeps the conversations that steps of the top level had to stop. */
  conversationLog?: ConversationLog;
  /** Goes on behind a snapshot's step instead of beginning at the first. */
  from?: Snapshot;
}

/** How a run ended: with a value, or waiting for answers that nobody could give at once. */
export type WorkflowResult<Result = Value> =
  | { status: 'completed'; runId: string; value: Result; outcome: Outcome; usage: UsageJson | null }
  | { status: 'parked'; runId: string; questions: readonly OpenQuestion[]; usage: UsageJson | null };

/** Runs a workflow's plan with what a call of `run` gives. */
type RunWorkflow = (
  call: Pick<PlanCall, 'value' | 'inputs'>,
  options: Omit<WorkflowRunOptions, 'input' | 'inputs'> & Pick<RunPlanOptions, 'onModelResponded'>,
) => Promise<RunResult>;

/** A loaded workflow. Each run is its own; runs may overlap. */
export class Workflow<Result = Value> {
  /** The checked workflow as the engine runs it. */
  readonly plan: Plan;
  readonly #run: RunWorkflow;

  /** @internal */
  constructor(plan: Plan, run: RunWorkflow) {
    this.plan = plan;
    this.#run = run;
  }

  get name(): string {
    return this.plan.name ?? this.plan.id;
  }

  get description(): string | undefined {
    return this.plan.description;
  }

  /** The declared inputs of the steps form. */
  get inputs(): InputDeclarations {
    return this.plan.inputs ?? {};
  }

  /**
   * Runs the workflow to its end, or until it waits for an answer. Throws what made it fail: a `LaitError` whose
   * `category` and `code` say what happened, a `UsageError` when the input does not fit, a `CancelledError` after
   * `signal` was aborted.
   */
  async run(options: WorkflowRunOptions = {}): Promise<WorkflowResult<Result>> {
    const usage = new UsageReport();
    const { input, inputs, ...others } = options;
    const result = await this.#run(
      { value: input, inputs },
      { ...others, onModelResponded: (event) => usage.add(event) },
    );
    if (result.status === 'failed' || result.status === 'cancelled') throw result.error;
    return { ...result, usage: usage.total() } as WorkflowResult<Result>;
  }
}
