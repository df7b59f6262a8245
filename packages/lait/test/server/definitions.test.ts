import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { runWhen, startTestServer, type TestServer } from './support/test-server.js';

const steps = (text: string) => `steps:\n  - jq: '${JSON.stringify(text)}'\n`;
const dynamic = (id: string, template = 'Hello ${initData.name}') => ({
  id,
  inputSchema: { type: 'object', properties: { name: { type: 'string' } }, required: ['name'] },
  outputSchema: { type: 'object' },
  graph: [{ type: 'mapping', id: 'greet', mapConfig: JSON.stringify({ text: { template } }) }],
});
const graph = (question = 'go?') => ({
  inputs_schema: { type: 'object' },
  nodes: [
    {
      node_id: 'ask',
      node_type: 'capability',
      config: { capability_key: 'hitl_wait', inputs: { question } },
    },
    { node_id: 'end', node_type: 'terminal', config: { outcome: 'success' } },
  ],
  edges: [
    {
      edge_id: 'e1',
      source_node_id: 'ask',
      target_node_id: 'end',
      edge_kind: 'normal',
      condition: null,
      order_index: 0,
    },
  ],
});

let server: TestServer;
beforeAll(async () => {
  server = await startTestServer({ config: { capabilities: { hitl_wait: { enabled: true } } } });
});
afterAll(() => server.stop());

describe('definitions of all three forms', () => {
  it('[server.definitions] are stored, listed, read, run and removed', async () => {
    const contents = { 'a steps': steps('日本 🎉'), 'a dynamic': dynamic('a dynamic'), 'a graph': graph() };
    for (const [id, content] of Object.entries(contents)) {
      const stored = await server.call('PUT', `/v1/definitions/${encodeURIComponent(id)}`, { content });
      expect(stored.status, JSON.stringify(stored.body)).toBe(201);
      expect(stored.body).toMatchObject({ id, published_version: 1, content });
    }
    const { body } = await server.call('GET', '/v1/definitions?limit=2');
    const rest = await server.call('GET', `/v1/definitions?limit=2&cursor=${body.next_cursor}`);
    const found = [...body.items, ...rest.body.items].map((one: { id: string; form: string }) => [
      one.id,
      one.form,
    ]);
    expect(Object.fromEntries(found)).toEqual({
      'a steps': 'steps',
      'a dynamic': 'dynamic',
      'a graph': 'graph',
    });

    const piped = await server.call('POST', '/v1/runs', { workflow: 'a steps', input: 'x' });
    expect((await runWhen(server, piped.body.run_id, 'completed')).result).toBe('日本 🎉');
    const mapped = await server.call('POST', '/v1/runs', { workflow: 'a dynamic', input: { name: 'Ann' } });
    expect((await runWhen(server, mapped.body.run_id, 'completed', 'failed')).result).toEqual({
      text: 'Hello Ann',
    });
    const asked = await server.call('POST', '/v1/runs', { workflow: 'a graph' });
    await runWhen(server, asked.body.run_id, 'waiting_hitl');

    const refused = await server.call('DELETE', '/v1/definitions/a%20graph');
    expect(refused).toMatchObject({ status: 409, body: { code: 'definition_in_use', runs: 1 } });
    await server.call('POST', `/v1/runs/${asked.body.run_id}/cancel`);
    expect((await server.call('DELETE', '/v1/definitions/a%20graph')).status).toBe(204);
    expect((await server.call('GET', '/v1/definitions/a%20graph')).status).toBe(404);
  });

  it('[server.diagnostics] tell every problem in a problem document, and store nothing', async () => {
    const { status, body, headers } = await server.call('PUT', '/v1/definitions/broken', {
      content: 'steps:\n  - jq: "(("\n  - nothing: 1\n',
    });
    expect(status).toBe(422);
    expect(headers.get('content-type')).toBe('application/problem+json');
    expect(body).toMatchObject({ code: 'definition_invalid', title: 'Unprocessable content' });
    expect(body.diagnostics.length).toBeGreaterThan(1);
    expect(body.diagnostics[0].position).toMatchObject({ line: 2 });
    expect((await server.call('GET', '/v1/definitions/broken')).status).toBe(404);
    const checked = await server.call('POST', '/v1/definitions/validate', {
      content: dynamic('x', '{{name}}'),
    });
    expect(checked).toMatchObject({ status: 200, body: { valid: false } });
    const other = await server.call('PUT', '/v1/definitions/one', { content: dynamic('two') });
    expect(other).toMatchObject({ status: 422, body: { code: 'id_differs' } });
  });

  it('[server.versions] a stale version is refused with the current one', async () => {
    const put = (content: string, base_version?: number) =>
      server.call('PUT', '/v1/definitions/versioned', { content, base_version });
    expect((await put(steps('one'), 0)).status).toBe(201);
    expect((await put(steps('two'), 1)).status).toBe(200);
    expect(await put(steps('three'), 1)).toMatchObject({
      status: 409,
      body: { code: 'version_stale', current_version: 2 },
    });
    const matched = await server.call(
      'PUT',
      '/v1/definitions/versioned',
      { content: steps('four') },
      { 'if-match': '"1"' },
    );
    expect(matched.status).toBe(409);
    const { body } = await server.call('GET', '/v1/definitions/versioned');
    expect(
      body.versions.map((one: { version: number; status: string }) => [one.version, one.status]),
    ).toEqual([
      [2, 'published'],
      [1, 'superseded'],
    ]);
    const old = await server.call('POST', '/v1/runs', { workflow: 'versioned', version: 1, input: '' });
    expect((await runWhen(server, old.body.run_id, 'completed')).result).toBe('one');
  });

  it('[server.versions] of many who store at once exactly one succeeds', async () => {
    const tries = Array.from({ length: 8 }, (_, index) =>
      server.call('PUT', '/v1/definitions/raced', { content: steps(`try ${index}`), base_version: 0 }),
    );
    const statuses = (await Promise.all(tries)).map(({ status }) => status).sort();
    expect(statuses).toEqual([201, ...Array(7).fill(409)]);
  });

  it('[server.revisions] drafts of graphs are changed, compared, published and superseded', async () => {
    const path = '/v1/definitions/flow';
    const incomplete = { ...graph(), edges: [] };
    expect((await server.call('PUT', path, { content: incomplete, draft: true })).status).toBe(201);
    const run = await server.call('POST', '/v1/runs', { workflow: 'flow' });
    expect(run).toMatchObject({ status: 409, body: { code: 'workflow_not_published' } });
    const invalid = await server.call('POST', `${path}/versions/1/validate`);
    expect(invalid.body.valid).toBe(false);
    const refused = await server.call('POST', `${path}/versions/1/publish`);
    expect(refused.status).toBe(422);
    expect(refused.body.diagnostics.length).toBeGreaterThan(0);
    expect((await server.call('PUT', `${path}/versions/1`, { content: graph() })).status).toBe(200);
    expect((await server.call('POST', `${path}/versions/1/publish`)).body.status).toBe('published');
    expect(await server.call('PUT', `${path}/versions/1`, { content: graph() })).toMatchObject({
      status: 409,
      body: { code: 'version_not_draft' },
    });
    const changed = graph('really?');
    changed.nodes.push({ node_id: 'more', node_type: 'terminal', config: { outcome: 'success' } } as never);
    await server.call('PUT', path, { content: changed, draft: true });
    const { body: diff } = await server.call('GET', `${path}/versions/2/diff`);
    expect(diff).toMatchObject({
      from: 1,
      to: 2,
      graph: { nodes: { added: ['more'], removed: [], changed: ['ask'] }, edges: { added: [] } },
    });
    expect(
      diff.lines.some(
        (line: { op: string; text: string }) => line.op === 'added' && line.text.includes('really?'),
      ),
    ).toBe(true);
    expect((await server.call('DELETE', `${path}/versions/1`)).body.code).toBe('version_published');
    expect((await server.call('DELETE', `${path}/versions/2`)).status).toBe(204);
  });

  it('[server.pinned] a run goes on with the version and the children that it began with', async () => {
    await server.call('PUT', '/v1/definitions/child', { content: steps('old child') });
    const parent = 'steps:\n  - ask: "ok?"\n  - workflow: child\n';
    expect((await server.call('PUT', '/v1/definitions/parent', { content: parent })).status).toBe(201);
    const { body: run } = await server.call('POST', '/v1/runs', { workflow: 'parent', input: '' });
    await runWhen(server, run.run_id, 'waiting_hitl');
    await server.call('PUT', '/v1/definitions/child', { content: steps('new child') });
    await server.call('PUT', '/v1/definitions/parent', { content: steps('new parent') });
    await server.call('POST', `/v1/runs/${run.run_id}/answer`, { answer: 'yes' });
    expect((await runWhen(server, run.run_id, 'completed', 'failed')).result).toBe('old child');
  });
});
