import { createHmac } from 'node:crypto';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { retryDelays, WebhookSender } from '../../../src/server/webhooks/webhook-sender.js';
import { type PostgresCluster, postgresAbsent, startPostgres } from '../../support/postgres.js';
import { runWhen, startTestServer, type TestServer, until } from '../support/test-server.js';
import { type Receiver, startReceiver } from './receiver.js';

const greet = 'inputs:\n  name: string\nsteps:\n  - jq: \'"hello " + $inputs.name\'\n';
const asks =
  'inputs:\n  topic: { type: string, default: x }\nsteps:\n  - id: confirm\n    ask: 続ける？ 🤔\n';

let cluster: PostgresCluster | undefined;
const databases = [
  { name: 'SQLite', skip: false, open: async (): Promise<string | undefined> => undefined },
  {
    name: 'PostgreSQL',
    skip: postgresAbsent !== undefined,
    async open() {
      cluster = await startPostgres();
      return cluster.url;
    },
  },
];

for (const { name, skip, open } of databases) {
  describe.skipIf(skip)(`outgoing webhooks in ${name}`, () => {
    // What no database can change is shown with one of them.
    const elsewhere = name !== 'SQLite';
    let server: TestServer;
    let other: TestServer;
    let receiver: Receiver;
    let offset = 0;
    const now = () => Date.now() + offset;

    beforeAll(async () => {
      const given = await open();
      const settings = { webhookPrivateHosts: ['127.0.0.1'] };
      server = await startTestServer({ settings, ...(given !== undefined && { database: given }) });
      other = await startTestServer({
        settings: { ...settings, concurrency: 0 },
        database: given ?? `${server.directory}/lait.db`,
      });
      await server.context.definitions.put({ id: 'greet', form: 'steps', content: greet });
      await server.context.definitions.put({ id: 'asks', form: 'steps', content: asks });
      receiver = await startReceiver();
    });
    afterAll(async () => {
      await receiver.stop();
      await other.stop();
      await server.stop();
      await cluster?.stop();
      cluster = undefined;
    });
    beforeEach(async () => {
      offset = 0;
      receiver.received.length = 0;
      receiver.statuses.length = 0;
      await server.context.database.write((queries) => queries.deleteFrom('webhooks').execute());
    });

    const sender = (of = server) => new WebhookSender({ server: of.context, now });
    async function webhook(body: object = {}) {
      const made = await server.call('POST', '/v1/webhooks', {
        direction: 'out',
        url: receiver.url,
        ...body,
      });
      expect(made.status, JSON.stringify(made.body)).toBe(201);
      return made.body;
    }
    async function run(workflow = 'greet', inputs: object = { name: '世界 🎉' }) {
      const { status, body } = await server.call('POST', '/v1/runs', { workflow, inputs });
      expect(status, JSON.stringify(body)).toBe(201);
      return runWhen(server, body.run_id, 'completed', 'failed', 'waiting_hitl');
    }
    async function deliver(by = sender()): Promise<void> {
      await by.send();
      await by.idle();
    }
    const deliveries = async (query = '') =>
      (await server.call('GET', `/v1/webhook-deliveries${query}`)).body.items;

    it('[webhooks.out] tell of ended runs and open questions, signed', async () => {
      const { webhook_id, secret } = await webhook();
      const tell = sender();
      const ended = await run();
      const waiting = await run('asks', {});
      await tell.queue.catchUp(0);
      await deliver(tell);
      const byType = (type: string) => receiver.received.find(({ body }) => body.type === type)!;
      expect(byType('run.finished').body.data).toMatchObject({
        run_id: ended.run_id,
        workflow: 'greet',
        status: 'completed',
        result: 'hello 世界 🎉',
        error: null,
      });
      expect(byType('question.waiting').body.data).toMatchObject({
        run_id: waiting.run_id,
        questions: [{ text: '続ける？ 🤔', type: 'text' }],
      });
      const { headers, text } = byType('run.finished');
      const key = Buffer.from(secret.slice('whsec_'.length), 'base64');
      const signed = `${headers['webhook-id']}.${headers['webhook-timestamp']}.${text}`;
      expect(headers['webhook-signature']).toBe(
        `v1,${createHmac('sha256', key).update(signed).digest('base64')}`,
      );
      expect(Math.abs(Number(headers['webhook-timestamp']) * 1000 - Date.now())).toBeLessThan(300_000);
      expect(await deliveries(`?webhook=${webhook_id}`)).toEqual([
        expect.objectContaining({ status: 'delivered', attempts: 1, last_error: null, next_at: null }),
        expect.objectContaining({ status: 'delivered' }),
      ]);
      // What was told once is not told again.
      await tell.queue.catchUp(0);
      await deliver(tell);
      expect(receiver.received).toHaveLength(2);
    });

    it.skipIf(elsewhere)(
      '[webhooks.out] are told only what they listen to, and nothing of before',
      async () => {
        await run();
        await webhook({ workflow: 'asks', events: ['run.finished'] });
        await run();
        await run('asks', {});
        await sender().queue.catchUp(0);
        await deliver();
        expect(receiver.received).toEqual([]);
      },
    );

    it.skipIf(elsewhere)(
      '[webhooks.retries] are sent again later and later, and then wait as dead letters',
      async () => {
        await webhook();
        await run();
        await sender().queue.catchUp(0);
        receiver.statuses.push(...Array.from({ length: retryDelays.length + 1 }, () => 503));
        for (const delay of retryDelays) {
          await deliver();
          const count = receiver.received.length;
          offset += delay - 2000;
          await deliver();
          expect(receiver.received).toHaveLength(count);
          offset += 4000;
        }
        await deliver();
        expect(receiver.received).toHaveLength(retryDelays.length + 1);
        const [dead] = await deliveries('?status=dead');
        expect(dead).toMatchObject({ attempts: retryDelays.length + 1, last_error: 'status 503' });
        expect(new Set(receiver.received.map(({ headers }) => headers['webhook-id'])).size).toBe(1);
        offset += 1e9;
        await deliver();
        expect(receiver.received).toHaveLength(retryDelays.length + 1);
        const again = await server.call('POST', `/v1/webhook-deliveries/${dead.delivery_id}/redeliver`);
        expect(again).toMatchObject({ status: 202, body: { status: 'pending', attempts: 0 } });
        expect(
          (await server.call('POST', `/v1/webhook-deliveries/${dead.delivery_id}/redeliver`)).status,
        ).toBe(409);
        await deliver();
        expect(await deliveries('?status=dead')).toEqual([]);
        expect(receiver.received.at(-1)!.text).toBe(receiver.received[0]!.text);
      },
    );

    it.skipIf(elsewhere)(
      '[webhooks.retries] follow no redirect, and stop when the receiver is gone for good',
      async () => {
        const { webhook_id } = await webhook();
        await run();
        await sender().queue.catchUp(0);
        receiver.statuses.push(302, 410);
        await deliver();
        expect((await deliveries('?status=pending'))[0]).toMatchObject({ last_error: 'status 302' });
        offset += retryDelays[0]! + 1000;
        await deliver();
        expect((await deliveries('?status=dead'))[0]).toMatchObject({
          last_error: expect.stringContaining('410'),
        });
        expect((await server.call('GET', `/v1/webhooks/${webhook_id}`)).body.enabled).toBe(false);
      },
    );

    it('[webhooks.once] are told once by several processes', async () => {
      await webhook();
      for (let count = 0; count < 4; count += 1) await run();
      const all = [sender(), sender(other), sender(other)];
      await Promise.all(all.map((one) => one.queue.catchUp(0)));
      await Promise.all(all.map((one) => deliver(one)));
      await Promise.all(all.map((one) => deliver(one)));
      expect(receiver.received).toHaveLength(4);
    });

    it('[webhooks.out] are told of runs whose process died before it told, when another one starts', async () => {
      await webhook();
      const ended = await run();
      const late = sender(other);
      late.start();
      try {
        await until(async () => receiver.received.some(({ body }) => body.data.run_id === ended.run_id));
        const next = await run();
        await server.call('POST', '/v1/runs', { workflow: 'greet', inputs: { name: 'x' } });
        expect(next.status).toBe('completed');
      } finally {
        await late.stop();
      }
    });

    it.skipIf(elsewhere)(
      '[webhooks.rotation] are signed with the old and the new secret for a day',
      async () => {
        const { webhook_id, secret } = await webhook();
        const rotated = await server.call('POST', `/v1/webhooks/${webhook_id}/rotate`);
        expect(rotated.body.secret).not.toBe(secret);
        await server.call('POST', `/v1/webhooks/${webhook_id}/test`);
        await deliver();
        expect(receiver.received[0]!.headers['webhook-signature']).toMatch(/^v1,\S+ v1,\S+$/);
        expect(receiver.received[0]!.body).toMatchObject({ type: 'webhook.test', data: { webhook_id } });
        offset += 25 * 3_600_000;
        await server.call('POST', `/v1/webhooks/${webhook_id}/test`);
        await deliver();
        expect(receiver.received[1]!.headers['webhook-signature']).toMatch(/^v1,\S+$/);
        expect(JSON.stringify((await server.call('GET', '/v1/webhooks')).body)).not.toContain('whsec_');
      },
    );
  });
}

describe('[webhooks.private] outgoing webhooks', () => {
  it('never go to private addresses that nobody has allowed', async () => {
    const server = await startTestServer();
    const receiver = await startReceiver();
    try {
      const create = (url: string) => server.call('POST', '/v1/webhooks', { direction: 'out', url });
      for (const url of [
        receiver.url,
        'http://localhost:1/',
        'http://[::1]/',
        'http://10.0.0.1/',
        'http://169.254.169.254/latest/meta-data',
        'http://2130706433/',
        'http://0x7f.1/',
        'ftp://example.com/',
        'https://user:secret@example.com/',
        'nowhere',
      ])
        expect((await create(url)).status, url).toBe(422);
      // A name is looked up when a message is sent: what it leads to counts.
      const made = await create('http://webhooks.example.com/');
      expect(made.status).toBe(201);
      await server.context.database.write((queries) =>
        queries.updateTable('webhooks').set({ url: receiver.url }).execute(),
      );
      await server.call('POST', `/v1/webhooks/${made.body.webhook_id}/test`);
      const sender = new WebhookSender({ server: server.context });
      await sender.send();
      await sender.idle();
      expect(receiver.received).toEqual([]);
      const { items } = (await server.call('GET', '/v1/webhook-deliveries')).body;
      expect(items[0]).toMatchObject({
        status: 'pending',
        last_error: expect.stringContaining('private address'),
      });
    } finally {
      await receiver.stop();
      await server.stop();
    }
  });
});
