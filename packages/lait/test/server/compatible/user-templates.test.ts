import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { graphApi } from '../../../src/server/compatible/graph/graph-api.js';
import { type PostgresCluster, postgresAbsent, startPostgres } from '../../support/postgres.js';
import { greeting } from '../support/graphs.js';
import { startTestServer, type TestServer } from '../support/test-server.js';

const base = '/api/v1/workflows';
const templates = `${base}/user-templates`;

describe.each(['SQLite', 'PostgreSQL'])('[server.graph-api] templates of users in %s', (engine) => {
  const skipped = engine === 'PostgreSQL' && postgresAbsent !== undefined;
  let cluster: PostgresCluster | undefined;
  let server: TestServer;
  beforeAll(async () => {
    if (skipped) return;
    if (engine === 'PostgreSQL') cluster = await startPostgres();
    server = await startTestServer({
      groups: [graphApi],
      ...(cluster !== undefined && { database: cluster.url }),
    });
  }, 60_000);
  afterAll(async () => {
    await server?.stop();
    await cluster?.stop();
  });

  const post = (path: string, body: unknown) => server.call('POST', path, body);

  async function published(name: string, graph: unknown = greeting) {
    const { body } = await post(base, { name });
    const revision = body.revision.revision_id as string;
    await server.call('PUT', `${base}/revisions/${revision}`, graph);
    expect((await post(`${base}/revisions/${revision}/publish`, undefined)).status).toBe(200);
    return { workflow: body.workflow_id as string, revision };
  }

  it.skipIf(skipped)('are copies of published revisions, and outlive their source', async () => {
    const { workflow, revision } = await published('挨拶 🎉');
    const made = await post(templates, { source_revision_id: revision, description: 'd' });
    expect(made).toMatchObject({
      status: 201,
      body: {
        template_id: expect.stringMatching(/^wtpl_[0-9a-f]{32}$/),
        name: '挨拶 🎉',
        description: 'd',
        source_workflow_id: workflow,
        source_revision_id: revision,
        definition: { version: 1, name: '挨拶 🎉', inputs_schema: greeting.inputs_schema },
        created_at: expect.any(String),
        updated_at: expect.any(String),
      },
    });
    const id = made.body.template_id;
    const { definition, ...summary } = made.body;
    const listed = await server.call('GET', templates);
    expect(listed.body.items).toContainEqual(summary);
    expect(listed.body.total).toBe(listed.body.items.length);
    expect((await server.call('DELETE', `${base}/${workflow}`)).status).toBe(200);
    expect((await server.call('GET', `${templates}/${id}`)).body).toEqual(made.body);

    const first = await post(`${templates}/${id}/instantiate`, { name: 'mine' });
    expect(first).toMatchObject({
      status: 201,
      body: {
        workflow: { name: 'mine', description: 'd', skip_approval: false },
        revision: { version: 1, status: 'draft' },
        validation_errors: [],
      },
    });
    const [node] = first.body.revision.nodes;
    expect(node.node_id).not.toBe(definition.nodes[0].node_id);
    const second = await post(`${templates}/${id}/instantiate`, {});
    expect(second.body.workflow).toMatchObject({ name: '挨拶 🎉' });
    expect(second.body.revision.nodes[0].node_id).not.toBe(node.node_id);
    const { revision_id } = second.body.revision;
    expect((await post(`${base}/revisions/${revision_id}/publish`, undefined)).status).toBe(200);

    expect((await server.call('DELETE', `${templates}/${id}`)).body).toEqual({
      success: true,
      template_id: id,
    });
    for (const call of [
      server.call('GET', `${templates}/${id}`),
      server.call('PUT', `${templates}/${id}`, { name: 'x' }),
      server.call('DELETE', `${templates}/${id}`),
      post(`${templates}/${id}/instantiate`, {}),
      server.call('GET', `${templates}/${id}/export`),
    ])
      expect(await call).toMatchObject({ status: 404, body: { detail: expect.any(String) } });
    expect((await server.call('GET', `${base}/${first.body.workflow.workflow_id}`)).status).toBe(200);
  });

  it.skipIf(skipped)('are renamed, and take another graph, in one step or apart', async () => {
    const { revision } = await published('one');
    const { body } = await post(templates, { source_revision_id: revision, name: '  T  ' });
    expect(body.name).toBe('T');
    const path = `${templates}/${body.template_id}`;
    expect((await server.call('PUT', path, { description: 'new' })).body).toMatchObject({
      name: 'T',
      description: 'new',
      source_revision_id: revision,
      definition: { name: 'T', description: 'new', nodes: body.definition.nodes },
    });
    const other = await published('two', {
      ...greeting,
      inputs_schema: { type: 'object', properties: { name: { type: 'string' }, more: { type: 'string' } } },
    });
    const replaced = await server.call('PUT', path, { source_revision_id: other.revision, name: 'U' });
    expect(replaced.body).toMatchObject({
      name: 'U',
      description: 'new',
      source_workflow_id: other.workflow,
      source_revision_id: other.revision,
      definition: { name: 'U', inputs_schema: { properties: { more: { type: 'string' } } } },
    });
    expect((await server.call('PUT', path, { name: ' ' })).status).toBe(422);

    const draft = await post(`${base}/${other.workflow}/revisions`, undefined);
    const source_revision_id = draft.body.revision_id;
    expect((await post(templates, { source_revision_id })).status).toBe(409);
    expect((await server.call('PUT', path, { source_revision_id, name: 'never' })).status).toBe(409);
    expect((await post(templates, { source_revision_id: 'wrev_nope' })).status).toBe(404);
    expect((await post(templates, {})).status).toBe(422);
    expect((await server.call('GET', path)).body).toEqual(replaced.body);
  });

  it.skipIf(skipped).each(['json', 'yaml'])(
    'are downloaded as %s packages that can be imported',
    async (format) => {
      const { revision } = await published('n');
      const { body } = await post(templates, { source_revision_id: revision, name: '見積 "A"\u2028.. 📄' });
      const response = await fetch(`${server.url}${templates}/${body.template_id}/export?format=${format}`);
      const disposition = response.headers.get('content-disposition')!;
      const [, plain, escaped] = /^attachment; filename="([\w.-]+)"; filename\*=UTF-8''(\S+)$/.exec(
        disposition,
      )!;
      expect(plain).toBe(`A.${format}`);
      expect(decodeURIComponent(escaped!)).toBe(`${body.name}.${format}`);
      const imported = await server.call('POST', `${base}/import?format=${format}`, await response.text(), {
        'content-type': `application/${format}`,
      });
      expect(imported).toMatchObject({
        status: 201,
        body: { workflow: { name: body.name }, validation_errors: [] },
      });
    },
  );
});
