/** So many callers are remembered; the one that was not seen for the longest time is forgotten first. */
const mostCallers = 10_000;

/** Token buckets: each caller may send `burst` requests at once, and `perSecond` over time. */
export class RateLimiter {
  readonly #buckets = new Map<string, { left: number; at: number }>();

  constructor(private readonly limit: { perSecond: number; burst: number }) {}

  /** Takes one request of the caller. Gives the seconds to wait when there is none left, else 0. */
  take(caller: string, now = performance.now()): number {
    const { perSecond, burst } = this.limit;
    const bucket = this.#buckets.get(caller) ?? { left: burst, at: now };
    bucket.left = Math.min(burst, bucket.left + ((now - bucket.at) / 1000) * perSecond);
    bucket.at = now;
    this.#buckets.delete(caller);
    this.#buckets.set(caller, bucket);
    if (this.#buckets.size > mostCallers) this.#buckets.delete(this.#buckets.keys().next().value!);
    if (bucket.left < 1) return Math.ceil((1 - bucket.left) / perSecond);
    bucket.left -= 1;
    return 0;
  }
}
