import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, it, vi } from 'vitest';
import { defineTool } from '../../src/tools/define-tool.js';
import { startModelServer } from '../models/model-server.js';
import { serverWith, stopServers } from './support/servers.js';
import { runWhen, until } from './support/test-server.js';

const pure = 'inputs: { n: integer }\nsteps:\n  - jq: "$inputs.n"\n  - jq: ". + 1"\n  - jq: ". * 2"\n';
const asking = 'inputs: { n: integer }\nsteps:\n  - ask: "go?"\n  - jq: "$inputs.n"\n';

/** A dynamic workflow that calls one tool, which the test holds open as long as it likes. */
function holding() {
  const begun: string[] = [];
  const open: { name: string; end: () => void }[] = [];
  let active = 0;
  let most = 0;
  const tool = defineTool({
    id: 'hold',
    inputSchema: { type: 'object', properties: { name: { type: 'string' } }, required: ['name'] },
    outputSchema: { type: 'object' },
    idempotent: true,
    execute: async (input) => {
      const { name } = input as { name: string };
      begun.push(name);
      active += 1;
      most = Math.max(most, active);
      await new Promise<void>((end) => open.push({ name, end }));
      active -= 1;
      return {};
    },
  });
  const workflow = (id: string) => ({
    id,
    form: 'dynamic' as const,
    content: {
      id,
      inputSchema: { type: 'object', properties: { name: { type: 'string' } }, required: ['name'] },
      outputSchema: { type: 'object' },
      graph: [{ type: 'tool', id: 'hold', toolId: 'hold' }],
    },
  });
  return {
    tool,
    workflow,
    begun,
    most: () => most,
    finish: (name: string) => open.find((one) => one.name === name)!.end(),
    finishAll: () => {
      for (const { end } of open) end();
    },
  };
}

describe('workers', () => {
  it('[server.load] 1,000 runs queued at once all end, and 100 that wait for people all go on', {
    timeout: 240_000,
  }, async () => {
    const server = await serverWith({ settings: { rateLimit: { perSecond: 1e6, burst: 1e6 } } });
    await server.context.definitions.put({ id: 'pure', form: 'steps', content: pure });
    await server.context.definitions.put({ id: 'asking', form: 'steps', content: asking });
    const create = (workflow: string, n: number) =>
      server.call('POST', '/v1/runs', { workflow, inputs: { n }, run_id: `${workflow}-${n}` });
    const numbers = Array.from({ length: 1000 }, (_, n) => n);
    const created = await Promise.all([
      ...numbers.map((n) => create('pure', n)),
      ...numbers.slice(0, 100).map((n) => create('asking', n)),
    ]);
    expect(created.every(({ status }) => status === 201)).toBe(true);
    const total = async (query: string) =>
      (await server.call('GET', `/v1/runs?limit=1&${query}`)).body.total as number;
    await until(async () => (await total('workflow=asking&status=waiting_hitl')) === 100, 200_000);
    const { body: inbox } = await server.call('GET', '/v1/inbox?limit=500');
    expect(inbox.questions).toHaveLength(100);
    await Promise.all(
      inbox.questions.map((question: { question_id: string }) =>
        server.call('POST', `/v1/inbox/${question.question_id}/answer`, { answer: 'yes' }),
      ),
    );
    await until(async () => (await total('status=completed')) === 1100, 200_000);
    const results = new Map<string, unknown>();
    let cursor: string | null = null;
    do {
      const page = await server.call(
        'GET',
        `/v1/runs?limit=300${cursor === null ? '' : `&cursor=${cursor}`}`,
      );
      for (const run of page.body.items) results.set(run.run_id, run.result);
      cursor = page.body.next_cursor;
    } while (cursor !== null);
    expect(results.size).toBe(1100);
    for (const n of numbers) expect(results.get(`pure-${n}`)).toBe((n + 1) * 2);
    for (const n of numbers.slice(0, 100)) expect(results.get(`asking-${n}`)).toBe(n);
  });

  it('[server.limits] no more runs are worked on than the limits allow, and workflows take turns', async () => {
    const held = holding();
    const server = await serverWith({
      services: { tools: { hold: held.tool } },
      settings: { concurrency: 10, limits: { total: 4, perWorkflow: 3, workflows: { small: 1 } } },
    });
    for (const id of ['large', 'small']) await server.context.definitions.put(held.workflow(id));
    for (let n = 0; n < 6; n += 1)
      for (const workflow of ['large', 'small'])
        await server.call('POST', '/v1/runs', {
          workflow,
          input: { name: `${workflow}-${n}` },
          run_id: `${workflow}-${n}`,
        });
    await until(async () => held.begun.length === 4);
    await new Promise((resolve) => setTimeout(resolve, 300));
    expect(held.begun.filter((name) => name.startsWith('small'))).toHaveLength(1);
    expect(held.begun).toHaveLength(4);
    for (let done = 0; done < 12; done += 1) {
      await until(async () => held.begun.length > done);
      held.finish(held.begun[done]!);
    }
    await until(async () => (await server.call('GET', '/v1/runs?status=completed')).body.total === 12);
    expect(held.most()).toBe(4);
  });

  it('[server.priorities] higher priorities are begun first', async () => {
    const held = holding();
    const server = await serverWith({
      services: { tools: { hold: held.tool } },
      settings: { concurrency: 1 },
    });
    await server.context.definitions.put(held.workflow('w'));
    const start = (name: string, priority: number) =>
      server.call('POST', '/v1/runs', { workflow: 'w', input: { name }, priority });
    await start('first', 0);
    await until(async () => held.begun.length === 1);
    await start('low', -5);
    await start('normal', 0);
    await start('high', 5);
    for (const [index, name] of ['first', 'high', 'normal', 'low'].entries()) {
      await until(async () => held.begun.length > index);
      expect(held.begun[index]).toBe(name);
      held.finish(name);
    }
  });

  it('[server.lease] whoever loses a run to another server stores nothing more for it', async () => {
    const directory = await mkdtemp(join(tmpdir(), 'lait-server-'));
    const held = holding();
    const options = { directory, services: { tools: { hold: held.tool } } };
    // Nor does it look for work: it would take its own run again.
    const first = await serverWith({ ...options, settings: { leaseMs: 60_000, pollMs: 3_600_000 } });
    await first.context.definitions.put(held.workflow('w'));
    const { body } = await first.call('POST', '/v1/runs', {
      workflow: 'w',
      input: { name: 'x' },
      run_id: 'r',
    });
    await until(async () => held.begun.length === 1);
    // The first one stops giving signs of life: its claim runs out.
    await first.context.database.write((queries) =>
      queries.updateTable('runs').set({ lease_until: 1 }).where('run_id', '=', body.run_id).execute(),
    );
    const second = await serverWith({ ...options, settings: { leaseMs: 60_000, pollMs: 50 } });
    await until(async () => held.begun.length === 2);
    held.finishAll();
    const ended = await runWhen(second, 'r', 'completed', 'failed');
    expect(ended.status).toBe('completed');
    await until(async () => first.context.workers.active.length === 0);
    const { body: log } = await second.call('GET', '/v1/runs/r/log');
    const types = log.items.map((event: { type: string }) => event.type);
    expect(types.filter((type: string) => type === 'run_taken_over')).toHaveLength(1);
    expect(types.filter((type: string) => type === 'node_completed')).toHaveLength(1);
    expect(log.items.map((event: { seq: number }) => event.seq)).toEqual(
      types.map((_: string, index: number) => index + 1),
    );
    await stopServers();
    await rm(directory, { recursive: true });
  });

  it('[server.clock] a clock that jumps loses no claim: leases count by the database', async () => {
    const held = holding();
    const server = await serverWith({
      services: { tools: { hold: held.tool } },
      settings: { leaseMs: 3000 },
    });
    await server.context.definitions.put(held.workflow('w'));
    await server.call('POST', '/v1/runs', { workflow: 'w', input: { name: 'x' }, run_id: 'r' });
    await until(async () => held.begun.length === 1);
    const now = Date.now.bind(Date);
    for (const jump of [86_400_000, -86_400_000]) {
      const spy = vi.spyOn(Date, 'now').mockImplementation(() => now() + jump);
      await new Promise((resolve) => setTimeout(resolve, 400));
      spy.mockRestore();
    }
    held.finish('x');
    expect((await runWhen(server, 'r', 'completed', 'failed')).status).toBe('completed');
    expect(held.begun).toEqual(['x']);
  });

  it('[server.cancel] reaches the call under way; the answer does not wait for it', async () => {
    const held = holding();
    const server = await serverWith({ services: { tools: { hold: held.tool } } });
    await server.context.definitions.put(held.workflow('w'));
    await server.call('POST', '/v1/runs', { workflow: 'w', input: { name: 'x' }, run_id: 'r' });
    await until(async () => held.begun.length === 1);
    const { body } = await server.call('POST', '/v1/runs/r/cancel');
    expect(body.status).toBe('cancelling');
    held.finishAll();
    const { nodes } = await runWhen(server, 'r', 'cancelled', 'waiting_attention');
    expect(nodes.map(({ status }: { status: string }) => status)).not.toContain('running');
  });

  it('[server.cancel] no step of a cancelled run is shown as under way, in any form', async () => {
    const model = await startModelServer(() => {});
    const models = { m: [{ model_id: 'm', provider: { base_url: model.baseUrl, api_key: 'k' } }] };
    const server = await serverWith({ config: { default: { model: 'm' }, models } });
    const content = 'steps:\n  - id: made\n    jq: .\n  - id: talks\n    prompt: "{{ input }}"\n';
    await server.context.definitions.put({ id: 'w', form: 'steps', content });
    await server.call('POST', '/v1/runs', { workflow: 'w', input: 'x', run_id: 'r' });
    await until(async () => model.requests.length === 1);
    await server.call('POST', '/v1/runs/r/cancel');
    const { nodes } = await runWhen(server, 'r', 'cancelled');
    expect(nodes.map((node: { node_id: string; status: string }) => [node.node_id, node.status])).toEqual([
      ['made', 'succeeded'],
      ['talks', 'cancelled'],
    ]);
  });

  it('[server.rerun] a run is repeated from a step: what happened before is reused, and the runs are linked', async () => {
    const server = await serverWith();
    await server.context.definitions.put({
      id: 'w',
      form: 'steps',
      content:
        'steps:\n  - id: a\n    ask: "first?"\n  - id: b\n    jq: \'. + "!"\'\n  - id: c\n    ask: "second?"\n',
    });
    await server.call('POST', '/v1/runs', { workflow: 'w', input: '', run_id: 'one' });
    for (const answer of ['x', 'y']) {
      await runWhen(server, 'one', 'waiting_hitl');
      await server.call('POST', '/v1/runs/one/answer', { answer });
      await until(
        async () =>
          (await server.call('GET', '/v1/runs/one/log')).body.items.filter(
            (event: { type: string }) => event.type === 'hitl_answer_received',
          ).length >= (answer === 'x' ? 1 : 2),
      );
    }
    await runWhen(server, 'one', 'completed');
    const { status, body } = await server.call('POST', '/v1/runs/one/rerun', { from: 'c' });
    expect([status, body.source_run_id]).toEqual([201, 'one']);
    const waiting = await runWhen(server, body.run_id, 'waiting_hitl');
    expect(waiting.questions.map((question: { text: string }) => question.text)).toEqual(['second?']);
    const unknown = await server.call('POST', '/v1/runs/one/rerun', { from: 'nobody' });
    expect([unknown.status, unknown.body.code]).toEqual([409, 'run_conflict']);
  });

  it('[server.idempotent-create] a request that is repeated with its key starts one run', async () => {
    const server = await serverWith();
    await server.context.definitions.put({ id: 'pure', form: 'steps', content: pure });
    const create = () =>
      server.call('POST', '/v1/runs', { workflow: 'pure', inputs: { n: 1 } }, { 'idempotency-key': 'k' });
    const answers = await Promise.all([create(), create(), create()]);
    expect(answers.map(({ status }) => status).sort()).toEqual([200, 200, 201]);
    expect(new Set(answers.map(({ body }) => body.run_id)).size).toBe(1);
  });

  it('[server.retention] runs that ended long ago are removed, runs that have not ended never', async () => {
    const { Retention } = await import('../../src/server/operations/retention.js');
    const server = await serverWith();
    await server.context.definitions.put({ id: 'pure', form: 'steps', content: pure });
    await server.context.definitions.put({ id: 'asking', form: 'steps', content: asking });
    await server.call('POST', '/v1/runs', { workflow: 'pure', inputs: { n: 1 }, run_id: 'ended' });
    await server.call('POST', '/v1/runs', { workflow: 'asking', inputs: { n: 1 }, run_id: 'open' });
    await runWhen(server, 'ended', 'completed');
    await runWhen(server, 'open', 'waiting_hitl');
    const retention = new Retention(server.context);
    expect(await retention.sweep(Date.now() + 29 * 86_400_000)).toBe(0);
    expect(await retention.sweep(Date.now() + 31 * 86_400_000)).toBe(1);
    expect((await server.call('GET', '/v1/runs/ended')).status).toBe(404);
    expect((await server.call('GET', '/v1/runs/open')).status).toBe(200);
  });
});
