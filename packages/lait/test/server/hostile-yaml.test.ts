import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { dynamicApi } from '../../src/server/compatible/dynamic/dynamic-api.js';
import { graphApi } from '../../src/server/compatible/graph/graph-api.js';
import { v1 } from '../../src/server/v1.js';
import { startTestServer, type TestServer } from './support/test-server.js';

/** Texts that are small and would be too much for whoever reads them without a second thought. */
const texts = {
  brackets: '['.repeat(900_000),
  'brackets and keys': '[a: '.repeat(200_000),
  'dashes in a line': '- '.repeat(400_000),
  'keys on lines': Array.from({ length: 1300 }, (_, depth) => `${' '.repeat(depth)}a:\n`).join(''),
  'a list of itself': 'nodes: &a [*a]\nedges: *a\n',
  'aliases of aliases': `a0: &a0 [x]\n${Array.from({ length: 12 }, (_, n) => `a${n + 1}: &a${n + 1} [${Array(12).fill(`*a${n}`)}]\n`).join('')}`,
  'a broken text': 'nodes: [',
};

let server: TestServer;
beforeAll(async () => {
  server = await startTestServer({ groups: [v1, graphApi, dynamicApi] });
});
afterAll(() => server.stop());

describe('[server.bad-input] YAML that nobody should read', () => {
  it.each(Object.entries(texts))(
    '%s: refused as a package and as a definition of any form',
    async (_name, text) => {
      const imported = await server.call('POST', '/api/v1/workflows/import', text, {
        'content-type': 'application/yaml',
      });
      expect(imported.status).toBe(422);
      for (const form of ['steps', 'dynamic', 'graph']) {
        const put = await server.call('PUT', '/v1/definitions/never', { content: text, form });
        expect(put).toMatchObject({ status: 422, body: { code: 'definition_invalid' } });
      }
      expect((await server.call('GET', '/v1/definitions/never')).status).toBe(404);
    },
  );

  it.each(Object.entries(texts))(
    '%s: kept as a draft it is shown, compared and checked',
    async (name, text) => {
      const id = name.replaceAll(' ', '-');
      const put = await server.call('PUT', `/v1/definitions/${id}`, {
        content: text,
        form: 'graph',
        draft: true,
      });
      expect(put.status).toBe(201);
      expect((await server.call('GET', `/v1/definitions/${id}/versions/1`)).body.content).toBe(text);
      const shown = await server.call('GET', `/api/v1/workflows/${id}`);
      expect(shown).toMatchObject({ status: 200, body: { revisions: [{ nodes: [], edges: [] }] } });
      expect((await server.call('GET', `/v1/definitions/${id}/versions/1/diff`)).status).toBe(200);
      const [{ revision_id }] = shown.body.revisions;
      for (const path of [`/v1/definitions/${id}/versions/1`, `/api/v1/workflows/revisions/${revision_id}`]) {
        expect((await server.call('POST', `${path}/validate`)).body.valid).toBe(false);
        expect((await server.call('POST', `${path}/publish`)).status).toBe(422);
      }
    },
  );
});
