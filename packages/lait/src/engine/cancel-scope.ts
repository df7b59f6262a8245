import { CancelledError } from '../errors/errors.js';

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
  readonly #parent: CancelScope | undefined;

  constructor(parent?: CancelScope) {
    this.#parent = parent;
    if (parent !== undefined) {
      if (parent.#reason !== undefined) this.#reason = parent.#reason;
      else {
        parent.#children ??= new Set();
        parent.#children.add(this);
      }
    }
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
      if (this.#reason !== undefined) this.#controller.abort(this.#reason);
    }
    return this.#controller.signal;
  }

  cancel(reason: Error = new CancelledError()): void {
    if (this.#reason !== undefined) return;
    this.#reason = reason;
    this.#controller?.abort(reason);
    const children = this.#children;
    this.#children = undefined;
    if (children !== undefined) for (const child of children) child.cancel(reason);
  }

  throwIfCancelled(): void {
    if (this.#reason !== undefined) throw this.#reason;
  }

  /** Leaves the tree; call it when what the scope stood for has ended. */
  dispose(): void {
    const parent = this.#parent;
    if (parent !== undefined) parent.#children?.delete(this);
  }
}
