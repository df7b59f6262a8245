import { describe, expect, it } from 'vitest';
import { aliasOf, ask, deadUrl, instantClock } from './ask.js';
import { json, says, startModelServer } from './model-server.js';

describe('fallback and repetition', () => {
  it('[models.fallback] moves on when a server cannot be reached, and says so', async () => {
    const second = await startModelServer(says('from second'));
    const warnings: string[] = [];
    const reply = await ask(
      { models: aliasOf(deadUrl, second) },
      {},
      { onWarning: (warning) => warnings.push(warning) },
    );
    expect(reply.content).toBe('from second');
    expect(second.requests[0]!.body.model).toBe('model-2');
    expect(warnings).toEqual([expect.stringMatching(/'model-1' failed.*asking 'model-2' instead/)]);
  });

  it.each([500, 503, 429, 408])('moves on after %i', async (status) => {
    const first = await startModelServer(json({ error: { message: 'no' } }, status));
    const second = await startModelServer(says('ok'));
    expect((await ask({ models: aliasOf(first, second) })).content).toBe('ok');
    expect(first.requests.length).toBeGreaterThan(0);
  });

  it.each([400, 401, 404, 422])('does not move on after %i', async (status) => {
    const first = await startModelServer(json({ error: { message: 'no' } }, status));
    const second = await startModelServer(says('never'));
    await expect(ask({ models: aliasOf(first, second) })).rejects.toMatchObject({ details: { status } });
    expect([first.requests.length, second.requests.length]).toEqual([1, 0]);
  });

  it('does not move on when the answer itself is bad', async () => {
    const first = await startModelServer(says(''));
    const second = await startModelServer(says('never'));
    await expect(ask({ models: aliasOf(first, second) })).rejects.toMatchObject({
      code: 'model_reply_empty',
    });
    expect(second.requests).toHaveLength(0);
  });

  it('names everything it asked when nobody answered', async () => {
    await expect(ask({ models: aliasOf(deadUrl, deadUrl) })).rejects.toMatchObject({
      code: 'model_unreachable',
      message: expect.stringMatching(/'model-1', 'model-2'/),
      details: { failures: [{ model: 'model-1' }, { model: 'model-2' }] },
    });
  });

  it('[models.retry-after] waits as long as a 429 says, then asks again', async () => {
    const server = await startModelServer(
      json({ error: { message: 'slow down' } }, 429, { 'retry-after': '7' }),
      json({ error: { message: 'slow down' } }, 429, { 'retry-after': '3' }),
      says('now'),
    );
    const { waits, limits } = instantClock();
    expect((await ask({ models: aliasOf(server), rateLimits: limits })).content).toBe('now');
    expect(waits).toEqual([7000, 3000]);
  });

  it('does not wait for a server that wants minutes, but keeps what it said', async () => {
    const server = await startModelServer(
      json({ error: { message: 'quota' } }, 429, { 'retry-after': '3600' }),
    );
    await expect(ask({ models: aliasOf(server) })).rejects.toMatchObject({
      code: 'model_rate_limited',
      retryAfterSeconds: 3600,
      disposition: 'retryable',
    });
    expect(server.requests).toHaveLength(1);
  });

  it('gives up on a 429 without Retry-After after a few attempts', async () => {
    const server = await startModelServer(json({ error: { message: 'quota' } }, 429));
    await expect(ask({ models: aliasOf(server) })).rejects.toMatchObject({ code: 'model_rate_limited' });
    expect(server.requests).toHaveLength(3);
  });
});
