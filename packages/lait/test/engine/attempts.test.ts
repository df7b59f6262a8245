import { setTimeout as delay } from 'node:timers/promises';
import { describe, expect, it } from 'vitest';
import type { RunEvent } from '../../src/engine/events.js';
import type { Value } from '../../src/values/value.js';
import { block, call, compute, jq, plan, resultOf, run, start } from '../support/plans.js';

const failing = (message = 'boom') =>
  call(() => {
    throw new Error(message);
  });

/** Ends when its signal says so; tells whether it was told. */
function hanging(seen: string[]) {
  return call(async (_input, { signal }) => {
    seen.push('began');
    await delay(60_000, undefined, { signal }).catch(() => undefined);
    seen.push('settled');
    return null;
  });
}

describe('attempts', () => {
  it('[engine.retry-only-failures] runs a step that succeeds once', async () => {
    let calls = 0;
    const step = call(() => ++calls, { retry: { maxAttempts: 5, delaySeconds: 0, backoff: 1 } });
    expect(await resultOf(plan([step]))).toBe(1);
    expect(calls).toBe(1);
  });

  it('[engine.retry-waits] repeats at most max_attempts times and grows the wait', async () => {
    const events: RunEvent[] = [];
    const step = { ...failing(), retry: { maxAttempts: 3, delaySeconds: 0.01, backoff: 2 } };
    const result = await run(plan([step]), null, { onEvent: (event) => events.push(event) });
    expect(result.status).toBe('failed');
    const waits = events.flatMap((event) => (event.type === 'attempt.failed' ? [event.waitSeconds] : []));
    expect(waits).toEqual([0.01, 0.02, 0]);
  });

  it('[engine.retry-waits] waits for an hour at most, before the first repetition too', async () => {
    const waits: number[] = [];
    const step = { ...failing(), retry: { maxAttempts: 2, delaySeconds: 100_000, backoff: 1 } };
    const started = start(plan([step]), null, {
      onEvent: (event) => {
        if (event.type !== 'attempt.failed') return;
        waits.push(event.waitSeconds);
        setImmediate(() => started.cancel());
      },
    });
    expect((await started.settled()).status).toBe('cancelled');
    expect(waits).toEqual([3600]);
  });

  it('[engine.stable-idempotency-key] gives every attempt the same key', async () => {
    const keys: string[] = [];
    const step = call(
      (_input, { idempotencyKey }) => {
        keys.push(idempotencyKey);
        if (keys.length < 3) throw new Error('again');
        return null;
      },
      { retry: { maxAttempts: 3, delaySeconds: 0, backoff: 1 } },
    );
    await resultOf(plan([step, call((_input, { idempotencyKey }) => keys.push(idempotencyKey))]));
    expect(new Set(keys.slice(0, 3)).size).toBe(1);
    expect(keys[3]).not.toBe(keys[0]);
  });

  it('never repeats an error that the policy excepts', async () => {
    let calls = 0;
    const step = call(
      () => {
        calls += 1;
        throw new Error('no');
      },
      { retry: { maxAttempts: 3, delaySeconds: 0, backoff: 1, except: ['step_failed'] } },
    );
    expect((await run(plan([step]))).status).toBe('failed');
    expect(calls).toBe(1);
  });

  it('[engine.on-error-input] hands on_error the causes and the value that came in', async () => {
    const step = {
      ...failing('disk full'),
      input: compute(() => 'changed'),
      onError: [jq((scope) => scope.value)],
    };
    const value = (await resultOf(plan([step]), 'original')) as { error: string; input: string };
    expect(value.input).toBe('original');
    expect(value.error).toContain('disk full');
  });

  it('lets a stop inside on_error end the workflow', async () => {
    const step = { ...failing(), onError: [jq(() => 'handled'), { kind: 'stop' }] };
    expect(await resultOf(plan([step, jq(() => 'never')]))).toBe('handled');
  });

  it('[engine.on-error-not-on-cancel] runs no handler when an outer deadline or the caller cancels', async () => {
    const seen: string[] = [];
    const body = block('steps[0].group', [{ ...hanging(seen), onError: [call(() => seen.push('handler'))] }]);
    const result = await run(plan([{ kind: 'group', fields: { group: body }, timeoutSeconds: 0.05 }]));
    expect(result.status).toBe('failed');
    expect(seen).toEqual(['began', 'settled']);
    const controller = new AbortController();
    setTimeout(() => controller.abort(), 20);
    const cancelled = await run(plan([{ ...hanging(seen), onError: [jq(() => 'handled')] }]), null, {
      signal: controller.signal,
    });
    expect(cancelled.status).toBe('cancelled');
  });

  it('[engine.timeout-awaited] awaits the timed-out attempt before the next one starts', async () => {
    const log: string[] = [];
    const step = call(
      async (_input, { signal }) => {
        log.push('begin');
        await delay(60_000, undefined, { signal }).catch(() => delay(30));
        log.push('end');
        return null;
      },
      { timeoutSeconds: 0.03, retry: { maxAttempts: 2, delaySeconds: 0, backoff: 1 } },
    );
    const result = await run(plan([step]));
    expect(log).toEqual(['begin', 'end', 'begin', 'end']);
    expect(result).toMatchObject({ status: 'failed', error: { category: 'timeout', code: 'step_timeout' } });
  });

  it('[engine.failed-attempt-leaves-nothing] drops what a failed attempt recorded', async () => {
    let attempts = 0;
    const body = block('steps[0].group', [
      jq((scope) => scope.step('inner') ?? 'unseen', { id: 'before' }),
      jq(() => 'recorded', { id: 'inner' }),
      call(() => {
        attempts += 1;
        if (attempts < 2) throw new Error('again');
        return null;
      }),
    ]);
    const group = {
      kind: 'group',
      fields: { group: body },
      retry: { maxAttempts: 2, delaySeconds: 0, backoff: 1 },
    };
    expect(await resultOf(plan([group, jq((scope) => scope.allSteps())]))).toEqual({
      before: 'unseen',
      inner: 'recorded',
    });
  });

  it('[engine.cancel-reaches-leaves] cancels and awaits everything below, also in a child workflow', async () => {
    const seen: string[] = [];
    const child = plan([
      {
        kind: 'parallel',
        fields: { parallel: { a: block('a', [hanging(seen)]), b: block('b', [hanging(seen)]) } },
      },
    ]);
    const services = { workflows: { load: async () => child } } as never;
    const handle = start(plan([{ kind: 'workflow', fields: { workflow: 'child' } }]), null, { services });
    await expect.poll(() => seen.length).toBe(2);
    handle.cancel();
    expect(await handle.settled()).toMatchObject({ status: 'cancelled' });
    expect(seen).toEqual(['began', 'began', 'settled', 'settled']);
  });
});

it('[engine.deep-values] says that a value is too deep for JSON instead of overflowing the stack', async () => {
  const deep = jq(() => {
    let value: Value = [];
    for (let level = 0; level < 50_000; level += 1) value = [value];
    return value;
  });
  const text = call((input) => JSON.stringify(input));
  const result = await run(plan([deep, text]));
  expect(result).toMatchObject({
    status: 'failed',
    error: { code: 'value_too_deep', message: expect.stringContaining('failed') },
  });
});
