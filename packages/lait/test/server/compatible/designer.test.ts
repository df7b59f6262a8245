import { describe, expect, it } from 'vitest';
import { graphApi } from '../../../src/server/compatible/graph/graph-api.js';
import { v1 } from '../../../src/server/v1.js';
import { type Answer, json, says, startModelServer } from '../../models/model-server.js';
import { startTestServer, type TestServer, until } from '../support/test-server.js';

const base = '/api/v1/workflows';
const requirement = '名前を聞いて挨拶する 🎉';

/** A draft as a model writes it: without what it need not say. */
const draft = {
  summary: '挨拶',
  assumptions: ['名前は一つ'],
  name: '挨拶 🎉',
  inputs_schema: { type: 'object', properties: { name: { type: 'string' } }, required: ['name'] },
  nodes: [
    {
      node_id: 'ask',
      node_type: 'capability',
      label: '確認',
      config: { capability_key: 'hitl_wait', inputs: { question: 'ok?', question_type: 'text' } },
    },
    {
      node_id: 'greet',
      node_type: 'text_template',
      config: { inputs: { name: { $ref: 'run.inputs.name' } }, template: 'こんにちは {{ name }}' },
    },
    { node_id: 'done', node_type: 'terminal', config: { outcome: 'success' } },
  ],
  edges: [
    { source_node_id: 'ask', target_node_id: 'greet' },
    { source_node_id: 'greet', target_node_id: 'done' },
  ],
};
const flawed = { ...draft, edges: draft.edges.slice(0, 1) };

async function withDesigner<T>(
  answers: Answer[],
  act: (server: TestServer, models: Awaited<ReturnType<typeof startModelServer>>) => Promise<T>,
): Promise<T> {
  const models = await startModelServer(...answers);
  const server = await startTestServer({
    groups: [v1, graphApi],
    config: { base_url: models.baseUrl, default: { model: 'designer-model' } },
  });
  try {
    return await act(server, models);
  } finally {
    await server.stop();
  }
}

const compose = (server: TestServer, body: unknown = { requirement }) =>
  server.call('POST', `${base}/designer/compose`, body);

describe('[server.graph-designer] the designer of the graph interface', () => {
  it('lets the default model mend its graph, and gives a package that runs', async () => {
    const answers = [
      says('I would ask and then greet.'),
      says({ content: JSON.stringify(flawed), usage: { prompt_tokens: 10, completion_tokens: 5 } }),
      says(`\`\`\`json\n${JSON.stringify(draft)}\n\`\`\``),
    ];
    await withDesigner(answers, async (server, models) => {
      const composed = await compose(server);
      expect(composed).toMatchObject({
        status: 200,
        body: {
          summary: '挨拶',
          assumptions: ['名前は一つ'],
          package: { version: 1, name: '挨拶 🎉', nodes: [{ node_id: 'ask' }, {}, {}] },
          node_analysis: [
            { node_id: 'ask', node_type: 'capability', label: '確認', requires_approval: false },
            { node_id: 'greet', label: 'greet', effects: '', requires_approval: false },
            { node_id: 'done', node_type: 'terminal' },
          ],
          structural_errors: [],
          validation_issues: [],
        },
      });
      expect(models.requests).toHaveLength(3);
      expect(models.requests.map(({ body }) => body.model)).toEqual(Array(3).fill('designer-model'));
      const last = models.requests[2]!.body.messages as { role: string; content: string }[];
      expect(last[1]).toEqual({ role: 'user', content: requirement });
      expect(last[0]!.content).toContain('hitl_wait');
      expect(last.at(-1)!.content).toContain('entry_count');

      const imported = await server.call('POST', `${base}/import`, composed.body.package);
      expect(imported).toMatchObject({ status: 201, body: { validation_errors: [] } });
      const { revision_id } = imported.body.revision;
      await server.call('POST', `${base}/revisions/${revision_id}/publish`);
      const run = await server.call('POST', `${base}/revisions/${revision_id}/runs`, {
        inputs: { name: '世界' },
      });
      await until(async () => {
        const { body } = await server.call('GET', `${base}/runs/${run.body.run_id}`);
        return body.status === 'waiting_hitl';
      });
      const usage = await server.call('GET', '/v1/usage?workflow=designer/compose');
      expect(usage.body.items[0]).toMatchObject({ requests: 3, input_tokens: 10, output_tokens: 5 });
      // Nothing but the import was stored.
      expect((await server.call('GET', base)).body.total).toBe(1);
    });
  });

  it('gives the graph with its errors when the model cannot mend it', async () => {
    await withDesigner([says(JSON.stringify(flawed)), says('No.')], async (server, models) => {
      const { status, body } = await compose(server);
      expect(status).toBe(200);
      expect(body.package.edges).toHaveLength(1);
      expect(body.structural_errors).toEqual([]);
      expect(body.validation_issues).toContainEqual(
        expect.objectContaining({ severity: 'error', code: expect.any(String), message: expect.any(String) }),
      );
      expect(models.requests).toHaveLength(3);
    });
  });

  it('says why an answer is no graph', async () => {
    const nodes = [...draft.nodes, draft.nodes[0]];
    await withDesigner([says(JSON.stringify({ ...draft, nodes, edges: 'none' }))], async (server) => {
      const { status, body } = await compose(server);
      expect(status).toBe(200);
      expect(body).toMatchObject({ package: null, node_analysis: [], validation_issues: [] });
      expect(body.structural_errors).toContainEqual(
        expect.objectContaining({ code: 'structural_error', path: 'edges' }),
      );
    });
  });

  it('refuses what it cannot work on, and says when no model answers', async () => {
    await withDesigner([json({ error: { message: 'no such key' } }, 401)], async (server, models) => {
      for (const text of ['', '  ', 'x'.repeat(20_001)])
        expect(await compose(server, { requirement: text })).toMatchObject({
          status: 400,
          body: { detail: { code: 'invalid_requirement', message: expect.any(String) } },
        });
      expect((await compose(server, { requirement: 7 })).status).toBe(422);
      expect(models.requests).toHaveLength(0);
      expect(await compose(server)).toMatchObject({
        status: 502,
        body: { detail: { code: 'llm_provider_error', message: expect.stringContaining('no such key') } },
      });
    });
    const without = await startTestServer({ groups: [graphApi] });
    try {
      expect(await compose(without)).toMatchObject({
        status: 503,
        body: {
          detail: {
            code: 'workflow_designer_not_configured',
            message: expect.stringContaining('default.model'),
          },
        },
      });
    } finally {
      await without.stop();
    }
  });
});
