import { createHmac } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { runWhen, startTestServer, type TestServer } from '../support/test-server.js';

let server: TestServer;
beforeAll(async () => {
  server = await startTestServer();
  await server.context.definitions.put({
    id: 'greet',
    form: 'steps',
    content: 'inputs:\n  name: string\nsteps:\n  - jq: \'"hello " + $inputs.name\'\n',
  });
  await server.context.definitions.put({ id: 'pipe', form: 'steps', content: 'steps:\n  - jq: .name\n' });
});
afterAll(() => server.stop());

async function webhook(body: object = {}) {
  const made = await server.call('POST', '/v1/webhooks', {
    direction: 'in',
    workflow: 'greet',
    call: { body_as: 'inputs' },
    ...body,
  });
  expect(made.status, JSON.stringify(made.body)).toBe(201);
  return made.body as { webhook_id: string; secret: string; path: string };
}

interface Message {
  id?: string;
  /** Seconds away from now. */
  age?: number;
  body?: string;
  signedBody?: string;
  headers?: Record<string, string>;
}

function send({ path, secret }: { path: string; secret: string }, message: Message = {}) {
  const { id = `m-${Math.random()}`, age = 0, body = '{"name":"世界 🎉"}', signedBody = body } = message;
  const timestamp = Math.floor(Date.now() / 1000) - age;
  const key = Buffer.from(secret.slice('whsec_'.length), 'base64');
  const signature = createHmac('sha256', key).update(`${id}.${timestamp}.${signedBody}`).digest('base64');
  return server.call('POST', path, body, {
    'webhook-id': id,
    'webhook-timestamp': String(timestamp),
    'webhook-signature': `v1,${signature}`,
    ...message.headers,
  });
}

const count = () => server.context.runs.count();

describe('incoming webhooks', () => {
  it('[webhooks.in] start runs from signed messages without a token', async () => {
    const hook = await webhook();
    expect(hook.path).toBe(`/v1/hooks/${hook.webhook_id}`);
    const started = await send(hook);
    expect(started.status, JSON.stringify(started.body)).toBe(201);
    expect(await runWhen(server, started.body.run_id, 'completed')).toMatchObject({
      result: 'hello 世界 🎉',
    });
    const piped = await send(await webhook({ workflow: 'pipe', call: {} }));
    expect(await runWhen(server, piped.body.run_id, 'completed')).toMatchObject({ result: '世界 🎉' });
    const log = await server.context.runs.events(started.body.run_id);
    expect(log).toContainEqual(
      expect.objectContaining({ event_type: 'run_webhook_called', payload: { webhook_id: hook.webhook_id } }),
    );
  });

  it('[webhooks.replays] start one run for a message, however often it comes', async () => {
    const hook = await webhook();
    const before = await count();
    const answers = await Promise.all(Array.from({ length: 5 }, () => send(hook, { id: 'same' })));
    expect(new Set(answers.map(({ body }) => body.run_id)).size).toBe(1);
    expect(answers.filter(({ status }) => status === 201)).toHaveLength(1);
    expect(await count()).toBe(before + 1);
    const runId = answers[0]!.body.run_id;
    await runWhen(server, runId, 'completed');
    // Also when the run is gone.
    await server.call('DELETE', `/v1/runs/${runId}`);
    expect((await send(hook, { id: 'same' })).status).toBe(404);
    expect(await count()).toBe(before);
    // The same id at another webhook is another message.
    expect((await send(await webhook(), { id: 'same' })).status).toBe(201);
  });

  it('[webhooks.signed] refuse what is not signed, not for them, or not of now', async () => {
    const hook = await webhook();
    const foreign = await webhook();
    const before = await count();
    const refused: [string, Message, string][] = [
      ['another body', { body: '{"name":"b"}', signedBody: '{"name":"a"}' }, 'signature_invalid'],
      ['no signature', { headers: { 'webhook-signature': '' } }, 'signature_missing'],
      ['junk', { headers: { 'webhook-signature': 'v1,AAAA v2,x junk' } }, 'signature_invalid'],
      ['another id', { headers: { 'webhook-id': 'other' } }, 'signature_invalid'],
      ['a time that is none', { headers: { 'webhook-timestamp': '1e3' } }, 'signature_invalid'],
      ['an old message', { age: 301 }, 'timestamp_outside'],
      ['one of the future', { age: -302 }, 'timestamp_outside'],
    ];
    for (const [what, message, code] of refused) {
      const { status, body } = await send(hook, message);
      expect([status, body.code], what).toEqual([401, code]);
    }
    expect((await send({ path: hook.path, secret: foreign.secret })).status).toBe(401);
    expect((await send({ path: '/v1/hooks/hook_nope', secret: hook.secret })).status).toBe(404);
    expect((await send(hook, { body: '{"name":' })).status).toBe(400);
    expect((await send(hook, { body: '[]' })).status).toBe(422);
    expect((await send(hook, { body: '{"name":7}' })).status).toBe(422);
    await server.call('PATCH', `/v1/webhooks/${hook.webhook_id}`, { enabled: false });
    expect((await send(hook)).status).toBe(404);
    expect(await count()).toBe(before);
  });

  it('[webhooks.rotation] take messages of the old secret for a while', async () => {
    const hook = await webhook();
    const { body } = await server.call('POST', `/v1/webhooks/${hook.webhook_id}/rotate`);
    expect((await send({ ...hook, secret: body.secret })).status).toBe(201);
    expect((await send(hook)).status).toBe(201);
    await server.call('POST', `/v1/webhooks/${hook.webhook_id}/rotate`);
    expect((await send(hook)).status).toBe(401);
  });

  it('[webhooks.routes] are made, changed and removed; wrong ones are refused', async () => {
    const secret = `whsec_${Buffer.alloc(32, 7).toString('base64')}`;
    const hook = await webhook({ name: '注文 📦', secret });
    expect(hook.secret).toBe(secret);
    expect((await send(hook)).status).toBe(201);
    const path = `/v1/webhooks/${hook.webhook_id}`;
    expect((await server.call('PATCH', path, { name: 'n' })).body).toMatchObject({
      name: 'n',
      workflow: 'greet',
    });
    for (const wrong of [
      { direction: 'in' },
      { direction: 'in', workflow: 'greet', url: 'https://example.com' },
      { direction: 'out' },
      { direction: 'out', url: 'https://example.com', events: [] },
      { direction: 'out', url: 'https://example.com', events: ['nope'] },
      { direction: 'in', workflow: 'greet', secret: 'short' },
      { direction: 'sideways', workflow: 'greet' },
    ])
      expect((await server.call('POST', '/v1/webhooks', wrong)).status, JSON.stringify(wrong)).toBe(422);
    expect((await server.call('POST', '/v1/webhooks', { direction: 'in', workflow: 'nope' })).status).toBe(
      404,
    );
    expect((await server.call('POST', `${path}/test`)).status).toBe(422);
    expect((await server.call('DELETE', path)).status).toBe(204);
    expect((await send(hook)).status).toBe(404);
    expect((await server.call('GET', path)).body.code).toBe('webhook_not_found');
  });
});
