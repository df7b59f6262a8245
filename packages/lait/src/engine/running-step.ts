import type { Completion } from '../kinds/kind.js';
import type { PlanNode } from '../plan/plan.js';
import type { Value } from '../values/value.js';
import type { AttemptsResult } from './attempts.js';
import type { StepFields } from './events.js';
import { announces, type Execution, stepFields } from './execution.js';
import { toFailureRecord } from './failure.js';
import { stepCompleted, stepStarted } from './step-events.js';

/** A step at work: records what it comes to, and tells those who listen. */
export class RunningStep {
  /** Undefined when nobody is told of the step. */
  readonly #fields: StepFields | undefined;
  #startedAt = 0;

  constructor(
    private readonly node: PlanNode,
    number: number,
    private readonly execution: Execution,
  ) {
    this.#fields = announces(node, execution) ? stepFields(node, number, execution) : undefined;
  }

  skipped(): void {
    if (this.#fields !== undefined) this.execution.runtime.emit({ type: 'step.skipped', ...this.#fields });
  }

  started(value: Value): void {
    if (this.#fields === undefined) return;
    this.#startedAt = performance.now();
    this.execution.runtime.emit(stepStarted(this.#fields, value));
  }

  completed({ completion, attempt, effects }: AttemptsResult): Completion {
    const { scope, runtime } = this.execution;
    const { value } = completion;
    if (this.node.id !== undefined) scope.steps.record(this.node.id, value);
    if (this.#fields !== undefined) {
      const durationMs = performance.now() - this.#startedAt;
      runtime.emit(stepCompleted(this.#fields, { value, attempt, effects, durationMs }));
    }
    return completion;
  }

  /** Throws the error, after those who listen were told. */
  failed(error: unknown): never {
    if (this.#fields !== undefined) {
      const durationMs = performance.now() - this.#startedAt;
      this.execution.runtime.emit({
        type: 'step.failed',
        error: toFailureRecord(error),
        durationMs,
        ...this.#fields,
      });
    }
    throw error;
  }

  settled(running: Promise<AttemptsResult>): Promise<Completion> {
    return running.then(
      (result) => this.completed(result),
      (error: unknown) => this.failed(error),
    );
  }
}
