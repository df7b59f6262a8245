import { describe, expect, it } from 'vitest';
import { createModelService } from '../../src/models/model-service.js';
import { type Permit, RateLimits, type RateTarget } from '../../src/models/rate-limits.js';
import { SecretRegistry } from '../../src/values/secrets.js';
import { type Answer, json, says, startModelServer } from './model-server.js';

const unaborted = () => new AbortController().signal;
const turn = () => new Promise((resolve) => setImmediate(resolve));

/** Time that passes only when a test says so. */
function manualClock() {
  let now = 0;
  let sleepers: { until: number; wake: () => void }[] = [];
  return {
    now: () => now,
    sleep: (milliseconds: number, abort: AbortSignal) =>
      new Promise<void>((wake, reject) => {
        sleepers.push({ until: now + milliseconds, wake });
        abort.addEventListener('abort', () => reject(new Error('woken')));
      }),
    async advance(milliseconds: number) {
      now += milliseconds;
      const due = sleepers.filter(({ until }) => until <= now);
      sleepers = sleepers.filter(({ until }) => until > now);
      for (const { wake } of due) wake();
      await turn();
    },
  };
}

async function queue(limits: RateLimits, target: RateTarget, count: number) {
  const granted: Permit[] = [];
  const order: number[] = [];
  for (let index = 0; index < count; index += 1) {
    void limits.acquire(target, unaborted()).then((permit) => {
      granted.push(permit);
      order.push(index);
    });
  }
  await turn();
  return { granted, order };
}

describe('RateLimits', () => {
  const target = { provider: 'http://a/v1', model: 'm' };

  it('lets everyone go when nothing is limited', async () => {
    expect((await queue(new RateLimits(manualClock()), target, 100)).granted).toHaveLength(100);
  });

  it('keeps max_concurrency per model, first come first served', async () => {
    const limits = new RateLimits(manualClock());
    const { granted, order } = await queue(limits, { ...target, maxConcurrency: 2 }, 5);
    const other = await queue(limits, { ...target, model: 'other' }, 3);
    expect([granted.length, other.granted.length]).toEqual([2, 3]);
    granted[0]!.succeeded();
    granted[0]!.failed();
    await turn();
    expect(granted).toHaveLength(3);
    granted[1]!.failed();
    granted[2]!.succeeded();
    await turn();
    expect(order).toEqual([0, 1, 2, 3, 4]);
  });

  it('starts at most requests_per_minute in any minute', async () => {
    const clock = manualClock();
    const { granted } = await queue(new RateLimits(clock), { ...target, requestsPerMinute: 2 }, 5);
    expect(granted).toHaveLength(2);
    for (const permit of granted) permit.succeeded();
    await clock.advance(59_999);
    expect(granted).toHaveLength(2);
    await clock.advance(1);
    expect(granted).toHaveLength(4);
    await clock.advance(60_000);
    expect(granted).toHaveLength(5);
  });

  it('makes everybody wait and halves what goes out at once after a 429', async () => {
    const clock = manualClock();
    const limits = new RateLimits(clock);
    const first = await queue(limits, target, 8);
    await clock.advance(1);
    for (const permit of first.granted) permit.limited(10);
    const second = await queue(limits, target, 10);
    const elsewhere = await queue(limits, { ...target, provider: 'http://b/v1' }, 1);
    expect([second.granted.length, elsewhere.granted.length]).toEqual([0, 1]);
    await clock.advance(9_999);
    expect(second.granted).toHaveLength(0);
    await clock.advance(1);
    expect(second.granted).toHaveLength(4);
    // Each success lets one more go than before, until the old number is passed.
    for (const permit of [...second.granted]) permit.succeeded();
    await turn();
    expect(second.granted).toHaveLength(10);
  });

  it('forgets waiters that were cancelled', async () => {
    const limits = new RateLimits(manualClock());
    const limited = { ...target, maxConcurrency: 1 };
    const { granted } = await queue(limits, limited, 1);
    const controller = new AbortController();
    const waiting = limits.acquire(limited, controller.signal);
    controller.abort(new Error('gone'));
    await expect(waiting).rejects.toThrow('gone');
    await expect(limits.acquire(limited, controller.signal)).rejects.toThrow('gone');
    const next = await queue(limits, limited, 1);
    granted[0]!.succeeded();
    await turn();
    expect(next.granted).toHaveLength(1);
  });
});

describe('many branches on one server', () => {
  const ask = (baseUrl: string, limits: RateLimits, entry: object = {}) => {
    const models = createModelService({ variables: {}, secrets: new SecretRegistry(), rateLimits: limits });
    const model = models.resolve(
      { model: 'x' },
      { x: [{ model_id: 'm', provider: { base_url: baseUrl }, ...entry }] },
    );
    return models.request({ model, messages: [{ role: 'user', content: 'hi' }] }, { signal: unaborted() });
  };

  it('share max_concurrency, even through different services', async () => {
    const slow: Answer = async (response, request) => {
      await new Promise((resolve) => setTimeout(resolve, 20));
      await says('ok')(response, request);
    };
    const server = await startModelServer(slow);
    const limits = new RateLimits();
    await Promise.all(Array.from({ length: 12 }, () => ask(server.baseUrl, limits, { max_concurrency: 3 })));
    expect(server.requests).toHaveLength(12);
    expect(server.peak).toBe(3);
  });

  it('[models.slow-down-together] wait together after one 429 instead of each running into it', async () => {
    const sleeps: number[] = [];
    let now = 0;
    const limits = new RateLimits({
      now: () => now,
      sleep: async (milliseconds) => {
        sleeps.push(milliseconds);
        await turn();
        now += milliseconds;
      },
    });
    const server = await startModelServer(
      json({ error: { message: 'slow down' } }, 429, { 'retry-after': '5' }),
      says('ok'),
    );
    await expect(ask(server.baseUrl, limits)).resolves.toMatchObject({ content: 'ok' });
    expect(sleeps).toEqual([5000]);
    expect(server.requests).toHaveLength(2);
    // The pause is over, and what was learnt does not slow down single requests.
    await Promise.all(Array.from({ length: 5 }, () => ask(server.baseUrl, limits)));
    expect(sleeps).toEqual([5000]);
  });
});
