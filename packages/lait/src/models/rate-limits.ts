import { setTimeout as delay } from 'node:timers/promises';
import { CancelledError } from '../errors/errors.js';

/** What a request counts against. */
export interface RateTarget {
  /** The base URL: what one 429 says holds for everybody who asks there. */
  provider: string;
  model: string;
  maxConcurrency?: number;
  requestsPerMinute?: number;
}

/** Permission to send one request; hand it back with what came of it. */
export interface Permit {
  succeeded(): void;
  /** The server said 429: everybody waits this long, and fewer requests go out at once for a while. */
  limited(waitSeconds: number): void;
  failed(): void;
}

/** Where time comes from; tests bring their own. */
export interface Clock {
  now(): number;
  sleep(milliseconds: number, signal: AbortSignal): Promise<void>;
}

const systemClock: Clock = {
  now: () => Date.now(),
  sleep: async (milliseconds, signal) => {
    await delay(milliseconds, undefined, { signal });
  },
};

interface Waiter {
  grant: (permit: Permit) => void;
}

class Queue {
  active = 0;
  /** When the requests of the last minute started. */
  starts: number[] = [];
  readonly waiters: Waiter[] = [];
  constructor(public target: RateTarget) {}
}

class Provider {
  pausedUntil = 0;
  active = 0;
  /** Most requests at once, as learnt from 429; no limit until the first. */
  limit = Number.POSITIVE_INFINITY;
  /** How many were open when the limit was cut: the limit is lifted when it has grown back beyond. */
  ceiling = 0;
  lastCutAt = Number.NEGATIVE_INFINITY;
  wake: AbortController | undefined;
  readonly queues = new Map<string, Queue>();
}

/**
 * Limits requests per provider and model within a process: `max_concurrency`, `requests_per_minute`, and a common
 * slow-down when a server says 429, so that branches do not each run into it alone. First come, first served.
 */
export class RateLimits {
  readonly #clock: Clock;
  readonly #providers = new Map<string, Provider>();

  constructor(clock: Clock = systemClock) {
    this.#clock = clock;
  }

  /** Waits for the turn of a request. Rejects with the signal's reason when it is aborted first. */
  acquire(target: RateTarget, signal: AbortSignal): Promise<Permit> {
    const provider = this.#provider(target.provider);
    const queue = provider.queues.get(target.model) ?? new Queue(target);
    queue.target = target;
    provider.queues.set(target.model, queue);
    const now = this.#clock.now();
    if (!signal.aborted && queue.waiters.length === 0 && mayGo(provider, queue, now)) {
      return Promise.resolve(this.#permit(provider, queue, now));
    }
    return new Promise((resolve, reject) => {
      const abort = () => {
        queue.waiters.splice(queue.waiters.indexOf(waiter), 1);
        reject(signal.reason instanceof Error ? signal.reason : new CancelledError());
      };
      const waiter: Waiter = {
        grant: (permit) => {
          signal.removeEventListener('abort', abort);
          resolve(permit);
        },
      };
      queue.waiters.push(waiter);
      if (signal.aborted) return abort();
      signal.addEventListener('abort', abort, { once: true });
      this.#pump(provider);
    });
  }

  /** Waits without holding a permit. Rejects with the signal's reason when it is aborted first. */
  async pause(seconds: number, signal: AbortSignal): Promise<void> {
    try {
      await this.#clock.sleep(seconds * 1000, signal);
    } catch (error) {
      throw signal.aborted && signal.reason instanceof Error ? signal.reason : error;
    }
  }

  #provider(name: string): Provider {
    let provider = this.#providers.get(name);
    if (provider === undefined) {
      provider = new Provider();
      this.#providers.set(name, provider);
    }
    return provider;
  }

  /** Lets everyone go who may, and comes back when time alone will allow the next one. */
  #pump(provider: Provider): void {
    const now = this.#clock.now();
    let next = Number.POSITIVE_INFINITY;
    for (const queue of provider.queues.values()) {
      while (queue.waiters.length > 0) {
        if (!mayGo(provider, queue, now)) {
          const readyAt = readyTime(provider, queue, now);
          if (readyAt > now) next = Math.min(next, readyAt);
          break;
        }
        queue.waiters.shift()!.grant(this.#permit(provider, queue, now));
      }
    }
    this.#wakeAt(provider, next, now);
  }

  #wakeAt(provider: Provider, time: number, now: number): void {
    provider.wake?.abort();
    provider.wake = undefined;
    if (time === Number.POSITIVE_INFINITY) return;
    const wake = new AbortController();
    provider.wake = wake;
    this.#clock.sleep(time - now, wake.signal).then(
      () => {
        if (!wake.signal.aborted) this.#pump(provider);
      },
      () => {},
    );
  }

  #permit(provider: Provider, queue: Queue, startedAt: number): Permit {
    provider.active += 1;
    queue.active += 1;
    if (queue.target.requestsPerMinute !== undefined) queue.starts.push(startedAt);
    let open = true;
    const close = (change: () => void) => () => {
      if (!open) return;
      open = false;
      change();
      provider.active -= 1;
      queue.active -= 1;
      this.#pump(provider);
    };
    return {
      failed: close(() => {}),
      succeeded: close(() => {
        if (provider.limit === Number.POSITIVE_INFINITY) return;
        provider.limit += 1;
        if (provider.limit > provider.ceiling) provider.limit = Number.POSITIVE_INFINITY;
      }),
      limited: (waitSeconds) =>
        close(() => {
          const now = this.#clock.now();
          provider.pausedUntil = Math.max(provider.pausedUntil, now + waitSeconds * 1000);
          // Requests that were under way when the limit was cut say nothing new.
          if (startedAt <= provider.lastCutAt) return;
          provider.lastCutAt = now;
          provider.ceiling = provider.active;
          provider.limit = Math.max(1, Math.floor(provider.active / 2));
        })(),
    };
  }
}

/** Whether the next request may go out at once. */
function mayGo(provider: Provider, queue: Queue, now: number): boolean {
  return (
    provider.active < provider.limit &&
    queue.active < (queue.target.maxConcurrency ?? Number.POSITIVE_INFINITY) &&
    readyTime(provider, queue, now) <= now
  );
}

/** When time alone allows the next request. */
function readyTime(provider: Provider, queue: Queue, now: number): number {
  return Math.max(provider.pausedUntil, minuteAllows(queue, now));
}

/** When the requests of the last minute leave room for one more. */
function minuteAllows(queue: Queue, now: number): number {
  const limit = queue.target.requestsPerMinute;
  if (limit === undefined) return 0;
  queue.starts = queue.starts.filter((start) => start > now - 60_000);
  return queue.starts.length < limit ? 0 : queue.starts[queue.starts.length - limit]! + 60_000;
}

/** The limits that all model services of this process share. */
export const processRateLimits = new RateLimits();
