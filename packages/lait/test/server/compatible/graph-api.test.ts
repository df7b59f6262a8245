import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { graphApi } from '../../../src/server/compatible/graph/graph-api.js';
import { v1 } from '../../../src/server/v1.js';
import { greeting } from '../support/graphs.js';
import { startTestServer, type TestAnswer, type TestServer, until } from '../support/test-server.js';

const base = '/api/v1/workflows';
let server: TestServer;
beforeAll(async () => {
  server = await startTestServer({ groups: [v1, graphApi], settings: { heartbeatMs: 50 } });
});
afterAll(() => server.stop());

const get = (path: string) => server.call('GET', base + path);
const post = (path: string, body?: unknown) => server.call('POST', base + path, body);
const uuid = /^[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/;

async function published(graph: unknown = greeting): Promise<{ workflow: string; revision: string }> {
  const { body } = await post('', { name: 'W' });
  const revision = body.revision.revision_id;
  await server.call('PUT', `${base}/revisions/${revision}`, graph);
  expect((await post(`/revisions/${revision}/publish`)).status).toBe(200);
  return { workflow: body.workflow_id, revision };
}

function when(runId: string, ...statuses: string[]): Promise<TestAnswer['body']> {
  return until(async () => {
    const { body } = await get(`/runs/${runId}`);
    return statuses.includes(body.status) ? body : undefined;
  });
}

async function frames(path: string, headers: Record<string, string> = {}): Promise<string[]> {
  const response = await fetch(`${server.url}${base}${path}`, { headers });
  return (await response.text()).split('\n\n').filter((frame) => frame.startsWith('id:'));
}

describe('[server.graph-api] workflows of the graph interface', () => {
  it('are created with a first draft, listed, renamed, and removed', async () => {
    const made = await post('', { name: '  要約 📝 ', description: 'd' });
    expect(made.status).toBe(201);
    expect(made.body).toMatchObject({
      workflow_id: expect.stringMatching(/^wf_[0-9a-f]{32}$/),
      name: '要約 📝',
      skip_approval: false,
      revision: {
        revision_id: expect.stringMatching(/^wrev_[0-9a-f]{32}$/),
        version: 1,
        status: 'draft',
        inputs_schema: { type: 'object' },
        nodes: [],
        edges: [],
      },
    });
    const id = made.body.workflow_id;
    const listed = await get('?limit=1');
    expect(listed.body).toMatchObject({ items: [{ workflow_id: id }], total: expect.any(Number) });
    expect((await server.call('PATCH', `${base}/${id}`, { name: ' ' })).status).toBe(422);
    expect(
      (await server.call('PATCH', `${base}/${id}`, { name: 'N', skip_approval: true })).body,
    ).toMatchObject({
      name: 'N',
      skip_approval: true,
    });
    expect((await get(`/${id}`)).body).toMatchObject({ name: 'N', revisions: [{ version: 1 }], runs: [] });
    expect((await server.call('DELETE', `${base}/${id}`)).body).toEqual({
      success: true,
      workflow_id: id,
      deleted: { revisions: 1, runs: 0 },
    });
    expect((await get(`/${id}`)).status).toBe(404);
    expect((await post('', { name: '' })).body.detail.errors[0]).toMatchObject({ path: 'name' });
    expect((await post('', '{')).status).toBe(422);
  });

  it('go from draft to published to superseded; only drafts change', async () => {
    const { workflow, revision } = await published();
    const changed = await server.call('PUT', `${base}/revisions/${revision}`, greeting);
    expect(changed.status).toBe(409);
    expect(changed.body.detail).toEqual(expect.any(String));
    expect((await server.call('DELETE', `${base}/revisions/${revision}`)).status).toBe(409);
    const draft = await post(`/${workflow}/revisions`);
    expect(draft).toMatchObject({ status: 201, body: { version: 2, status: 'draft' } });
    const [render, done] = draft.body.nodes;
    expect(render.node_id).toMatch(uuid);
    expect(render.node_id).not.toBe(greeting.nodes[0]!.node_id);
    expect(draft.body.edges[0]).toMatchObject({
      source_node_id: render.node_id,
      target_node_id: done.node_id,
    });
    // A text that only looks like a reference stays as it is.
    expect(render.config.inputs.literal).toBe(greeting.nodes[0]!.config.inputs!.literal);
    expect((await post(`/revisions/${draft.body.revision_id}/publish`)).body.status).toBe('published');
    expect((await get(`/revisions/${revision}`)).body.status).toBe('superseded');
    expect((await post(`/revisions/${revision}/runs`, { inputs: { name: 'x' } })).status).toBe(409);
    expect((await server.call('DELETE', `${base}/revisions/${revision}`)).body).toEqual({
      success: true,
      revision_id: revision,
    });
    expect((await get('/schedulable')).body.items).toContainEqual(
      expect.objectContaining({ workflow_id: workflow, version: 2, inputs_schema: greeting.inputs_schema }),
    );
  });

  it('say every problem on validating and publishing, and none on saving', async () => {
    const { body } = await post('', { name: 'Broken' });
    const revision = body.revision.revision_id;
    const [render, done] = greeting.nodes;
    const broken = {
      ...greeting,
      nodes: [
        { ...render, config: { inputs: { name: { $ref: 'run.inputs.nope' } }, template: '{{ other }}' } },
        done,
      ],
    };
    expect((await server.call('PUT', `${base}/revisions/${revision}`, broken)).status).toBe(200);
    const checked = await post(`/revisions/${revision}/validate`);
    expect(checked.body.valid).toBe(false);
    expect(checked.body.errors).toEqual(
      expect.arrayContaining([
        expect.objectContaining({ code: 'reference_scope', node_id: render!.node_id, severity: 'error' }),
        expect.objectContaining({ code: 'template' }),
      ]),
    );
    const refused = await post(`/revisions/${revision}/publish`);
    expect(refused.status).toBe(422);
    expect(refused.body.detail.errors.length).toBe(checked.body.errors.length);
    expect((await get(`/revisions/${revision}`)).body.status).toBe('draft');
    const twice = await server.call('PUT', `${base}/revisions/${revision}`, {
      ...greeting,
      nodes: [render, render],
    });
    expect(twice).toMatchObject({ status: 422, body: { detail: { errors: [{ path: 'nodes.1.node_id' }] } } });
    expect((await get(`/revisions/${revision}`)).body.nodes).toHaveLength(2);
  });

  it('come from templates, each of which can be published at once', async () => {
    const { body } = await get('/templates');
    expect(body.items.length).toBeGreaterThanOrEqual(3);
    for (const { template_key } of body.items) {
      const made = await post('/from-template', { template_key, name: 'T' });
      expect(made.status).toBe(201);
      for (const { node_id } of made.body.revision.nodes) expect(node_id).toMatch(uuid);
      const { revision_id } = made.body.revision;
      expect((await post(`/revisions/${revision_id}/validate`)).body).toMatchObject({
        valid: true,
        errors: [],
      });
      expect((await post(`/revisions/${revision_id}/publish`)).status).toBe(200);
    }
    expect((await post('/from-template', { template_key: 'nope' })).status).toBe(404);
    expect((await get('/capabilities')).body.items).toContainEqual(
      expect.objectContaining({
        capability_key: 'hitl_wait',
        enabled: true,
        approval_policy: 'auto',
        workflow_only: true,
      }),
    );
  });

  it('say in the catalogue what outputs are and which nodes may be strict, as publishing has it', async () => {
    const { items } = (await get('/capabilities')).body;
    const strict: Record<string, boolean> = { hitl_wait: true, file_read: true, file_write: false };
    const classes = { hitl_wait: 'structured', file_read: 'structured', file_write: 'receipt' };
    const inputs = {
      hitl_wait: { question: 'q' },
      file_read: { relative_path: 'x' },
      file_write: { relative_path: 'x', content: 'x' },
    };
    for (const key of ['hitl_wait', 'file_read', 'file_write'] as const) {
      expect(
        items.find(({ capability_key }: { capability_key: string }) => capability_key === key),
      ).toMatchObject({
        output_contract_class: classes[key],
        output_reference_policy: 'any',
        strict_allowed: strict[key],
      });
      const { body } = await post('', { name: key });
      const { revision_id } = body.revision;
      const config = { capability_key: key, inputs: inputs[key], fail_on_output_mismatch: true };
      await server.call('PUT', `${base}/revisions/${revision_id}`, {
        nodes: [
          { node_id: 'a', node_type: 'capability', config },
          { node_id: 't', node_type: 'terminal', config: { outcome: 'success' } },
        ],
        edges: [{ edge_id: 'e', source_node_id: 'a', target_node_id: 't' }],
      });
      expect((await post(`/revisions/${revision_id}/validate`)).body.valid).toBe(strict[key]);
    }
  });

  it('are copied with every reference that they hold', async () => {
    const date = (anchor: unknown) => ({ $expr: { kind: 'date_math', version: 1, anchor, result: 'date' } });
    const output_schema = { type: 'object', properties: { day: { type: 'string', format: 'date' } } };
    const inputs = {
      piped: [{ $ref: 'nodes.a.output.day', pipe: [{ op: 'upper' }] }],
      wrapped: date({ $ref: 'nodes.a.output.day' }),
      plain: date('nodes.a.output.day'),
      now: date('now'),
      text: 'nodes.a.output.day',
    };
    const { workflow } = await published({
      nodes: [
        { node_id: 'a', node_type: 'llm', config: { provider: 'default', model: 'm', output_schema } },
        { node_id: 'b', node_type: 'text_template', config: { inputs, template: '{{ plain }}' } },
        { node_id: 't', node_type: 'terminal', config: { outcome: 'success' } },
      ],
      edges: [
        { edge_id: 'e1', source_node_id: 'a', target_node_id: 'b' },
        { edge_id: 'e2', source_node_id: 'b', target_node_id: 't' },
      ],
    });
    const { body } = await post(`/${workflow}/revisions`);
    const path = `nodes.${body.nodes[0].node_id}.output.day`;
    expect(body.nodes[1].config.inputs).toEqual({
      piped: [{ $ref: path, pipe: [{ op: 'upper' }] }],
      wrapped: date({ $ref: path }),
      plain: date(path),
      now: date('now'),
      text: 'nodes.a.output.day',
    });
    expect((await post(`/revisions/${body.revision_id}/publish`)).status).toBe(200);
  });

  it.each(['json', 'yaml'])('travel as %s packages', async (format) => {
    const { revision } = await published();
    const response = await fetch(`${server.url}${base}/revisions/${revision}/export?format=${format}`);
    expect(response.headers.get('content-disposition')).toBe(
      `attachment; filename="W.${format}"; filename*=UTF-8''W.${format}`,
    );
    const text = await response.text();
    const send = (body: string) =>
      server.call('POST', `${base}/import?format=${format}`, body, {
        'content-type': `application/${format}`,
      });
    const imported = await send(text);
    expect(imported).toMatchObject({
      status: 201,
      body: { validation_errors: [], revision: { status: 'draft' } },
    });
    const { revision_id, nodes } = imported.body.revision;
    expect(nodes[0].node_id).not.toBe(greeting.nodes[0]!.node_id);
    expect((await post(`/revisions/${revision_id}/publish`)).status).toBe(200);
    const before = (await get('?limit=1')).body.total;
    expect((await send(text.replace('graph-workflow', 'other'))).status).toBe(422);
    expect(
      (await send(text.replaceAll('0b0cbe92-1111-4111-8111-000000000002', 'gone').replace('gone', 'here')))
        .status,
    ).toBe(422);
    expect((await send('{[')).status).toBe(422);
    expect((await send(' '.repeat(1024 * 1024 + 1))).status).toBe(422);
    expect((await get('?limit=1')).body.total).toBe(before);
  });
});

describe('[server.graph-api] runs of the graph interface', () => {
  it('show their nodes, their log and their revision', async () => {
    const { workflow, revision } = await published();
    expect((await post(`/revisions/${revision}/runs`, { inputs: {} })).status).toBe(422);
    const made = await post(`/revisions/${revision}/runs`, { inputs: { name: '世界' } });
    expect(made).toMatchObject({
      status: 201,
      body: {
        run_id: expect.stringMatching(/^wrun_[0-9a-f]{32}$/),
        workflow_id: workflow,
        revision_id: revision,
        status: 'queued',
        inputs: { name: '世界' },
        graph_snapshot: { nodes: [{ node_id: greeting.nodes[0]!.node_id }, {}] },
      },
    });
    const run = await when(made.body.run_id, 'completed', 'failed');
    expect(run).toMatchObject({
      status: 'completed',
      nodes: [
        { status: 'succeeded', output: { text: 'こんにちは 世界 🎉' }, attempt: 1 },
        { status: 'succeeded' },
      ],
    });
    expect(run.events.map(({ seq }: { seq: number }) => seq)).toEqual(
      run.events.map((_: unknown, at: number) => at + 1),
    );
    expect(run.events[0]).toMatchObject({
      event_id: expect.stringMatching(/^wevt_[0-9a-f]{32}$/),
      event_type: 'run_created',
    });
    const again = await post(`/runs/${run.run_id}/rerun`, { inputs: { name: 'B' } });
    expect(again).toMatchObject({ status: 201, body: { source_run_id: run.run_id, inputs: { name: 'B' } } });
    await when(again.body.run_id, 'completed');
    expect((await post(`/runs/${run.run_id}/cancel`)).status).toBe(409);
    expect((await post(`/runs/${run.run_id}/resume`)).status).toBe(409);
    expect((await post(`/runs/${run.run_id}/approve`)).status).toBe(409);
    expect((await post(`/runs/${run.run_id}/attention`, { decision: 'adopt' })).status).toBe(409);
    expect((await server.call('DELETE', `${base}/runs/${run.run_id}`)).body).toMatchObject({
      success: true,
      run_id: run.run_id,
      events: run.events.length,
      nodes: 2,
      activations: 2,
    });
    expect((await get(`/runs/${run.run_id}`)).status).toBe(404);
    expect((await get('/runs/nope/events')).status).toBe(404);
    expect((await get(`/${workflow}`)).body.runs).toHaveLength(1);
  });

  it('wait for an answer, stream what happens, and go on behind the last event', async () => {
    const made = await post('/from-template', { template_key: 'ask_and_render' });
    const { revision_id } = made.body.revision;
    await post(`/revisions/${revision_id}/publish`);
    const { body } = await post(`/revisions/${revision_id}/runs`, { inputs: { topic: '天気' } });
    const first = await frames(`/runs/${body.run_id}/stream`);
    const events = first.map((frame) => JSON.parse(frame.split('data: ')[1]!));
    expect(events.map(({ event }) => event)).toEqual(
      expect.arrayContaining(['run_created', 'hitl_question_asked']),
    );
    expect((await server.call('DELETE', `${base}/${made.body.workflow_id}`)).status).toBe(409);
    const waiting = await when(body.run_id, 'waiting_hitl');
    const [{ hitl_run_id }] = waiting.nodes;
    expect(hitl_run_id).toMatch(/^whitl_/);
    const answered = await post(`/runs/${body.run_id}/answer`, { answer: '晴れ', hitl_run_id });
    expect(answered).toMatchObject({ status: 200, body: { status: 'queued' } });
    const ended = await when(body.run_id, 'completed');
    expect(ended.nodes.map(({ output }: { output: unknown }) => output)).toContainEqual({
      text: '天気: 晴れ',
    });
    const last = String(events.length);
    // The stream ends when everything is logged.
    const all = await frames(`/runs/${body.run_id}/stream`);
    const rest = await frames(`/runs/${body.run_id}/stream`, { 'last-event-id': last });
    expect(rest[0]).toMatch(new RegExp(`^id: ${events.length + 1}\\ndata: `));
    expect(rest).toEqual(all.slice(events.length));
    // The header wins over the query, and junk counts as none.
    expect(await frames(`/runs/${body.run_id}/stream?last_event_id=${last}`)).toEqual(rest);
    expect(await frames(`/runs/${body.run_id}/stream?last_event_id=1`, { 'last-event-id': last })).toEqual(
      rest,
    );
    expect(await frames(`/runs/${body.run_id}/stream?last_event_id=junk`)).toEqual(all);
    expect(
      await frames(`/runs/${body.run_id}/events`, { accept: 'text/event-stream', 'last-event-id': last }),
    ).toEqual(rest);
    expect((await get(`/runs/${body.run_id}/events`)).body.items).toHaveLength(all.length);
    expect((await server.call('DELETE', `${base}/${made.body.workflow_id}`)).body.deleted).toEqual({
      revisions: 1,
      runs: 1,
    });
  });

  it('previews templates', async () => {
    expect(
      (await post('/text-template/preview', { template: 'a {{ b }}', values: { b: '💡' } })).body,
    ).toEqual({
      ok: true,
      rendered: 'a 💡',
      errors: [],
    });
    const wrong = await post('/text-template/preview', { template: '{% if %}', values: {} });
    expect(wrong).toMatchObject({
      status: 200,
      body: { ok: false, rendered: null, errors: [expect.any(String)] },
    });
    expect((await post('/text-template/preview', { template: '{{ missing }}', values: {} })).body.ok).toBe(
      false,
    );
  });
});

describe('[server.graph-api] access to the graph interface', () => {
  it('needs a bearer token when the server asks for tokens', async () => {
    const closed = await startTestServer({ groups: [graphApi], settings: { requireToken: true } });
    try {
      const none = await closed.call('GET', base);
      expect(none).toMatchObject({ status: 401, body: { detail: expect.any(String) } });
      expect(none.headers.get('www-authenticate')).toBe('Bearer');
      const { token } = await closed.context.tokens.create({ name: 'r', scopes: ['read'] });
      const authorization = `Bearer ${token}`;
      expect((await closed.call('GET', base, undefined, { authorization })).status).toBe(200);
      expect((await closed.call('POST', base, { name: 'x' }, { authorization })).status).toBe(403);
      expect((await closed.call('GET', base, undefined, { authorization: 'Bearer wrong' })).status).toBe(401);
    } finally {
      await closed.stop();
    }
  });
});
