import type { Completion } from '../kinds/kind.js';
import type { PlanNode } from '../plan/plan.js';
import type { Value } from '../values/value.js';
import type { AttemptsResult } from './attempts.js';
import { announces, type Execution, stepFields } from './execution.js';
import { toFailureRecord } from './failure.js';
import { stepCompleted, stepStarted } from './step-events.js';

/**
 * A step at work: records what it comes to, and tells those who listen. First `skipped`, or `started` and then one of
 * the others; `settled` is for a step that is still running.
 */
export class RunningStep {
  /** Whether anybody is told of the step. */
  readonly #announced: boolean;
  #startedAt = 0;

  constructor(
    private readonly node: PlanNode,
    private readonly number: number,
    private readonly execution: Execution,
  ) {
    this.#announced = announces(node, execution);
  }

  skipped(): void {
    const { node, number, execution } = this;
    if (this.#announced)
      execution.runtime.emit({ type: 'step.skipped', ...stepFields(node, number, execution) });
  }

  started(value: Value): void {
    if (!this.#announced) return;
    const { node, number, execution } = this;
    this.#startedAt = performance.now();
    execution.runtime.emit(stepStarted(node, number, execution, value));
  }

  /** Records the value before it is told, and gives the completion. */
  completed({ completion, attempt, effects }: AttemptsResult): Completion {
    const { node, number, execution } = this;
    const { value } = completion;
    if (node.id !== undefined) execution.scope.steps.record(node.id, value);
    if (this.#announced) {
      const durationMs = performance.now() - this.#startedAt;
      const result = { value, attempt, effects, durationMs };
      execution.runtime.emit(stepCompleted(node, number, execution, result));
    }
    return completion;
  }

  /** Throws the error, after those who listen were told. */
  failed(error: unknown): never {
    if (this.#announced) {
      const { node, number, execution } = this;
      const durationMs = performance.now() - this.#startedAt;
      execution.runtime.emit({
        type: 'step.failed',
        error: toFailureRecord(error),
        durationMs,
        ...stepFields(node, number, execution),
      });
    }
    throw error;
  }

  /** The same once the attempts are over. What `completed` throws is no failure of the step. */
  settled(running: Promise<AttemptsResult>): Promise<Completion> {
    return running.then(
      (result) => this.completed(result),
      (error: unknown) => this.failed(error),
    );
  }
}
