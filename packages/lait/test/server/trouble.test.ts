import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { sql } from 'kysely';
import { describe, expect, it } from 'vitest';
import { says, startModelServer } from '../models/model-server.js';
import { serverWith } from './support/servers.js';
import { runWhen, until } from './support/test-server.js';

describe('when the disk is full', () => {
  it('[server.disk-full] nothing is half stored, and runs go on when there is room again', async () => {
    const server = await serverWith({ settings: { leaseMs: 1000 } });
    const { database, definitions } = server.context;
    await definitions.put({
      id: 'ask',
      form: 'steps',
      content: 'steps:\n  - ask: "ok?"\n  - jq: . * 60000\n',
    });
    await server.call('POST', '/v1/runs', { workflow: 'ask', input: '', run_id: 'before' });
    await runWhen(server, 'before', 'waiting_hitl');
    const pages = async (limit: number) => {
      await database.read((queries) => sql.raw(`pragma max_page_count = ${limit}`).execute(queries));
    };
    await pages(1);
    const large = 'x'.repeat(500_000);
    const refused = await server.call('POST', '/v1/runs', {
      workflow: 'ask',
      input: large,
      run_id: 'refused',
    });
    expect([refused.status, refused.body.code]).toEqual([507, 'database_full']);
    expect(refused.body.detail).not.toContain(server.directory);
    expect((await server.call('GET', '/v1/runs/refused')).status).toBe(404);
    expect((await server.call('GET', '/v1/runs/before')).body.status).toBe('waiting_hitl');

    // The answer still fits; what the run makes of it does not.
    await server.call('POST', '/v1/runs/before/answer', { answer: 'yes' });
    await until(async () => server.context.workers.active.length === 0);
    await pages(1_000_000);
    const run = await until(async () => {
      const { body } = await server.call('GET', '/v1/runs/before');
      // Where not even the answer could be stored it is given again.
      if (body.status === 'waiting_hitl')
        await server.call('POST', '/v1/runs/before/answer', { answer: 'yes' });
      return body.status === 'completed' || body.status === 'failed' ? body : undefined;
    });
    expect([run.status, run.result?.length]).toEqual(['completed', 180_000]);
    const { items } = (await server.call('GET', '/v1/runs/before/log?limit=1000')).body;
    expect(items.map((event: { seq: number }) => event.seq)).toEqual(
      items.map((_: unknown, index: number) => index + 1),
    );
  });
});

describe('what models used and what happened', () => {
  it('[server.observed] is counted once, priced, measured and traced', async () => {
    const model = await startModelServer(says('hello'));
    const traces: string[] = [];
    const collector = createServer((request, response) => {
      const parts: Buffer[] = [];
      request.on('data', (part: Buffer) => parts.push(part));
      request.on('end', () => {
        traces.push(`${request.url} ${Buffer.concat(parts).toString()}`);
        response.writeHead(200, { 'content-type': 'application/json' }).end('{}');
      });
    });
    await new Promise<void>((resolve) => collector.listen(0, '127.0.0.1', resolve));
    try {
      const pricing = { input_per_million: 1, output_per_million: 2 };
      const server = await serverWith({
        settings: { otlp: `http://127.0.0.1:${(collector.address() as AddressInfo).port}` },
        config: {
          default: { model: 'm' },
          models: { m: [{ model_id: 'mm', provider: { base_url: model.baseUrl, api_key: 'k' }, pricing }] },
        },
      });
      const content = 'steps:\n  - id: talk\n    prompt: "say {{ input }}"\n  - ask: "ok?"\n';
      await server.context.definitions.put({ id: 'talk', form: 'steps', content });
      await server.call('POST', '/v1/runs', { workflow: 'talk', input: 'x', run_id: 'r' });
      await runWhen(server, 'r', 'waiting_hitl');
      await server.call('POST', '/v1/runs/r/answer', { answer: 'yes' });
      await runWhen(server, 'r', 'completed');
      // The second pass replayed the reply.
      expect(model.requests).toHaveLength(1);
      const { body } = await server.call('GET', '/v1/usage?group_by=workflow,model');
      expect(body.items).toHaveLength(1);
      expect(body.items[0]).toMatchObject({ workflow: 'talk', model: 'mm', requests: 1 });
      expect((await server.call('GET', '/v1/usage?run_id=r')).body.items[0].requests).toBe(1);
      expect((await server.call('GET', '/v1/usage?workflow=other')).body.items[0]?.requests ?? 0).toBe(0);
      const metrics = await (await fetch(`${server.url}/v1/metrics`)).text();
      expect(metrics).toContain('lait_model_requests_total{model="mm",outcome="live"} 1');
      await until(async () => traces.length >= 2);
      expect(traces.join('\n')).toContain('talk');
      expect(traces.every((one) => one.startsWith('/v1/traces '))).toBe(true);
    } finally {
      collector.closeAllConnections();
      collector.close();
    }
  });
});
