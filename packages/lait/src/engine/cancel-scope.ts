import { setMaxListeners } from 'node:events';
import { CancelledError } from '../errors/errors.js';
import type { Budget } from './budget.js';

/** What kinds see of a cancel scope: whether it is cancelled, and a signal when they really need one. */
export interface LazySignal {
  readonly cancelled: boolean;
  /** Made on first use: most steps never need an AbortSignal. */
  readonly signal: AbortSignal;
  throwIfCancelled(): void;
}

/**
 * A node of the tree that cancels a run: run → attempt → branch → child workflow → effect. Cancelling a scope
 * cancels everything below it with the same reason. Far cheaper than an AbortController per step.
 */
export class CancelScope implements LazySignal {
  #reason: Error | undefined;
  #controller: AbortController | undefined;
  #children: Set<CancelScope> | undefined;
  #deadline: Deadline | undefined;
  /** What model calls inside may spend. */
  budget: Budget | undefined;
  readonly #parent: CancelScope | undefined;

  constructor(parent?: CancelScope) {
    this.#parent = parent;
    if (parent === undefined) return;
    if (parent.#reason !== undefined) {
      this.#reason = parent.#reason;
      return;
    }
    parent.#children ??= new Set();
    parent.#children.add(this);
  }

  get cancelled(): boolean {
    return this.#reason !== undefined;
  }

  /** Why it was cancelled: a `CancelledError`, or the `TimeoutError` of the deadline that did it. */
  get reason(): Error | undefined {
    return this.#reason;
  }

  get signal(): AbortSignal {
    if (this.#controller === undefined) {
      this.#controller = new AbortController();
      // Concurrent branches share the signal of their fork: many listeners are no leak.
      setMaxListeners(0, this.#controller.signal);
      if (this.#reason !== undefined) this.#controller.abort(this.#reason);
    }
    return this.#controller.signal;
  }

  cancel(reason: Error = new CancelledError()): void {
    if (this.#reason !== undefined) return;
    this.#reason = reason;
    this.#deadline?.stop();
    this.#controller?.abort(reason);
    const children = this.#children;
    this.#children = undefined;
    if (children !== undefined) for (const child of children) child.cancel(reason);
  }

  throwIfCancelled(): void {
    if (this.#reason !== undefined) throw this.#reason;
  }

  /** The scopes around this place that bound what model calls spend, innermost first. */
  *budgeted(): Generator<{ scope: CancelScope; budget: Budget }> {
    for (let scope: CancelScope | undefined = this; scope !== undefined; scope = scope.#parent)
      if (scope.budget !== undefined) yield { scope, budget: scope.budget };
  }

  /** Cancels the scope with `reason()` after `seconds`, not counting the time it is paused. */
  startDeadline(seconds: number, reason: () => Error): void {
    this.#deadline = new Deadline(seconds * 1000, () => this.cancel(reason()));
  }

  /** Stops the clocks of this scope and of all scopes around it: a person is being waited for. */
  pauseDeadlines(): void {
    for (let scope: CancelScope | undefined = this; scope !== undefined; scope = scope.#parent)
      scope.#deadline?.pause();
  }

  resumeDeadlines(): void {
    for (let scope: CancelScope | undefined = this; scope !== undefined; scope = scope.#parent)
      scope.#deadline?.resume();
  }

  /** Leaves the tree; call it when what the scope stood for has ended. */
  dispose(): void {
    this.#deadline?.stop();
    const parent = this.#parent;
    if (parent !== undefined && parent.#children !== undefined) parent.#children.delete(this);
  }
}

/** A timer that can be paused by several waiters at once. */
class Deadline {
  #remaining: number;
  #startedAt = performance.now();
  #pauses = 0;
  #timer: NodeJS.Timeout | undefined;
  readonly #expire: () => void;

  constructor(milliseconds: number, expire: () => void) {
    this.#remaining = milliseconds;
    this.#expire = expire;
    this.#start();
  }

  pause(): void {
    this.#pauses += 1;
    if (this.#pauses > 1) return;
    this.#remaining -= performance.now() - this.#startedAt;
    clearTimeout(this.#timer);
  }

  resume(): void {
    this.#pauses -= 1;
    if (this.#pauses === 0) this.#start();
  }

  stop(): void {
    this.#pauses = Number.POSITIVE_INFINITY;
    clearTimeout(this.#timer);
  }

  #start(): void {
    this.#startedAt = performance.now();
    // Longer waits than a timer can hold are re-armed.
    const wait = Math.min(Math.max(this.#remaining, 0), 2_147_483_647);
    this.#timer = setTimeout(() => {
      this.#remaining -= performance.now() - this.#startedAt;
      if (this.#remaining <= 0.5) this.#expire();
      else this.#start();
    }, wait);
  }
}
