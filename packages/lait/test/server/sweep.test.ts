import { Agent, request } from 'node:http';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { dynamicApi } from '../../src/server/compatible/dynamic/dynamic-api.js';
import { graphApi } from '../../src/server/compatible/graph/graph-api.js';
import { v1 } from '../../src/server/v1.js';
import { type PostgresCluster, postgresAbsent, startPostgres } from '../support/postgres.js';
import { startTestServer, type TestServer } from './support/test-server.js';

const agent = new Agent({ keepAlive: true });
afterAll(() => agent.destroy());

const groups = [v1, graphApi, dynamicApi];
const routes = groups.flatMap(({ prefix, routes: own }) =>
  own.map((route) => ({ ...route, path: `${prefix}${route.path}` })),
);
const base64 = (value: unknown) => Buffer.from(JSON.stringify(value)).toString('base64url');

const ids = [
  'nobody',
  '..%2f..%2fetc%2fpasswd',
  '%2e%2e',
  '%00',
  'a%0d%0ax:%20y',
  '__proto__',
  'constructor',
  '%ED%A0%80',
  '%',
  'x'.repeat(5000),
  "'%20or%20'1'='1",
  '9'.repeat(30),
];
const odd = [
  '%00',
  '%ED%A0%80',
  '%F0%9F%98%80',
  '-1',
  '1e9',
  '99999999999999999999',
  'NaN',
  '__proto__',
  'zzz',
];
const cursors = [[], { a: 1 }, ['2020', '\u0000'], ['\u0000', '\ud800'], ['x', 'y'], [1, 2]].map(base64);

/** Odd values for every parameter that a query knows. */
function oddQueries(query: unknown): string[] {
  const names = Object.keys((query as { shape: object }).shape);
  return names.flatMap((name) =>
    [...odd, ...(name === 'cursor' ? cursors : [])].map((value) => `${name}=${value}`),
  );
}

const bodies = [
  ...['{}', '[]', 'null', '1', '"x"', '{', '{"__proto__":{"a":1}}', '{"a":'.repeat(3000)],
  // Something of every route, with zero bytes and half characters in it.
  JSON.stringify({
    ...{
      name: 'n',
      content: 'x\u0000',
      workflow: '\ud800',
      requirement: '\ud800x',
      source_revision_id: '\u0000',
    },
    ...{
      answer: '\ud800',
      inputs: { a: '\u0000\ud800' },
      priority: 1e300,
      step: '__proto__',
      cron: '* * * * *',
    },
    ...{ url: 'javascript:1', scopes: ['read'], graph: [], id: '..', inputSchema: {}, outputSchema: {} },
    ...{
      nodes: [],
      edges: [],
      inputs_schema: { type: '\u0000' },
      template: '{{ \u0000 }}',
      template_key: '\u0000',
    },
  }),
];

describe.each(['SQLite', 'PostgreSQL'])(
  '[server.bad-input] whatever is sent to any route, with %s,',
  (engine) => {
    const skipped = engine === 'PostgreSQL' && postgresAbsent !== undefined;
    let cluster: PostgresCluster | undefined;
    let server: TestServer;
    beforeAll(async () => {
      if (skipped) return;
      if (engine === 'PostgreSQL') cluster = await startPostgres();
      server = await startTestServer({
        groups,
        ...(cluster !== undefined && { database: cluster.url }),
        settings: { rateLimit: { perSecond: 1e6, burst: 1e6 } },
      });
    }, 60_000);
    afterAll(async () => {
      await server?.stop();
      await cluster?.stop();
    });

    /** Sends a path as it is, however odd. */
    function send(method: string, path: string, body?: string): Promise<{ status: number; text: string }> {
      return new Promise((resolve, reject) => {
        const headers = {
          ...(body !== undefined && { 'content-type': 'application/json' }),
        };
        const { hostname, port } = new URL(server.url);
        const sent = request(
          { hostname, port, method: method.toUpperCase(), path, headers, agent },
          (response) => {
            const chunks: Buffer[] = [];
            response.on('data', (chunk: Buffer) => chunks.push(chunk));
            response.on('end', () =>
              resolve({ status: response.statusCode!, text: Buffer.concat(chunks).toString() }),
            );
          },
        );
        sent.on('error', reject);
        sent.end(body);
      });
    }

    async function neverFails(requests: { method: string; path: string; body?: string }[]): Promise<void> {
      const failed: string[] = [];
      for (const { method, path, body } of requests) {
        const { status, text } = await send(method, path, body);
        const told = `${method} ${path.slice(0, 200)} ${body?.slice(0, 80) ?? ''} → ${status} ${text.slice(0, 200)}`;
        if (status >= 500 && text.includes('the server failed')) failed.push(told);
        if (status >= 400 && path.startsWith('/v1/') && !text.includes('urn:lait:problem:'))
          failed.push(told);
      }
      expect(failed).toEqual([]);
    }

    const named = (path: string, id: string) => path.replaceAll(/\{\w+\}/g, id);

    it.skipIf(skipped)('ids that are no ids are answered, not failed on', { timeout: 120_000 }, async () => {
      await neverFails(
        routes
          .filter(({ path }) => path.includes('{'))
          .flatMap(({ method, path, body }) =>
            ids.map((id) => ({ method, path: named(path, id), ...(body !== undefined && { body: '{}' }) })),
          ),
      );
    });

    it.skipIf(skipped)('queries of all kinds are answered, not failed on', { timeout: 120_000 }, async () => {
      const lists = routes.filter(({ method, query }) => method === 'get' && query !== undefined);
      await neverFails(
        lists.flatMap(({ method, path, query }) =>
          oddQueries(query).map((text) => ({ method, path: `${named(path, 'nobody')}?${text}` })),
        ),
      );
    });

    it.skipIf(skipped)('bodies of all kinds are answered, not failed on', { timeout: 120_000 }, async () => {
      await neverFails(
        routes
          .filter(({ body }) => body !== undefined)
          .flatMap(({ method, path }) =>
            bodies.map((body) => ({ method, path: named(path, 'nobody'), body })),
          ),
      );
    });

    it.skipIf(skipped)(
      'a token without the scope reaches no handler, none at all is 401',
      { timeout: 120_000 },
      async () => {
        const { tokens } = server.context;
        const token = async (...scopes: string[]) =>
          (await tokens.create({ name: scopes.join(), scopes: scopes as never })).token;
        const all = ['read', 'run', 'write', 'answer'];
        for (const { method, path, scope, body } of routes) {
          if (scope === null) continue;
          const others = all.filter((one) => one !== scope);
          const call = (authorization: string) =>
            server.call(method.toUpperCase(), named(path, 'nobody'), body === undefined ? undefined : '{}', {
              authorization,
            });
          const answer = await call(`Bearer ${await token(...others)}`);
          expect(answer.status, `${method} ${path}`).toBe(403);
        }
        const { status } = await server.call('GET', '/v1/runs', undefined, {
          authorization: 'Bearer nonsense',
        });
        expect(status).toBe(401);
      },
    );
  },
);
