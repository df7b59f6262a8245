import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { Ajv2020 } from 'ajv/dist/2020.js';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { apiPage } from '../../src/server/http/api-page.js';
import { v1 } from '../../src/server/v1.js';
import { runWhen, startTestServer, type TestServer } from './support/test-server.js';

let server: TestServer;
// biome-ignore lint/suspicious/noExplicitAny: the document is looked into
let document: any;
beforeAll(async () => {
  server = await startTestServer({
    config: { models: { m: [{ model_id: 'x' }] }, capabilities: { hitl_wait: { enabled: true } } },
    services: { agents: { a: { system: 'x', description: 'an agent' } } },
  });
  document = (await server.call('GET', '/v1/openapi.json')).body;
});
afterAll(() => server.stop());

describe('the OpenAPI document', () => {
  it('[server.openapi] has every route with its scope, and every reference leads somewhere', () => {
    const described = Object.entries(document.paths).flatMap(([path, methods]) =>
      Object.keys(methods as object).map((method) => `${method} ${path}`),
    );
    expect(described.sort()).toEqual(v1.routes.map(({ method, path }) => `${method} /v1${path}`).sort());
    const operations = v1.routes.map(({ operation }) => operation);
    expect(new Set(operations).size).toBe(operations.length);
    for (const [, reference] of JSON.stringify(document).matchAll(/"\$ref":"([^"]+)"/g)) {
      const found = reference!
        .slice(2)
        .split('/')
        .reduce((at, key) => at?.[key], document);
      expect(found, reference).toBeDefined();
    }
    for (const { method, path, scope, parameters } of v1.routes) {
      const operation = document.paths[`/v1${path}`][method];
      expect(operation['x-scope']).toBe(scope ?? undefined);
      const named = [...path.matchAll(/\{(\w+)\}/g)].map((match) => match[1]);
      const declared = (operation.parameters ?? [])
        .filter((one: { in: string }) => one.in === 'path')
        .map((one: { name: string }) => one.name);
      expect(declared.sort(), path).toEqual(named.sort());
      expect(parameters !== undefined || named.length === 0).toBe(true);
    }
  });

  it('[server.openapi] says what responses look like: real ones fit its schemas', async () => {
    const ajv = new Ajv2020({ strict: false, validateFormats: false });
    ajv.addSchema({ $id: 'api', components: document.components });
    const fits = (path: string, method: string, status: number, body: unknown) => {
      const media = document.paths[path][method].responses[status]?.content?.['application/json'];
      expect(media, `${method} ${path} ${status}`).toBeDefined();
      const schema = JSON.parse(JSON.stringify(media.schema).replaceAll('"#/components', '"api#/components'));
      const validate = ajv.compile(schema);
      expect(
        validate(body),
        `${method} ${path}: ${ajv.errorsText(validate.errors)}: ${JSON.stringify(body)}`,
      ).toBe(true);
    };
    const check = async (method: string, path: string, template: string, body?: unknown) => {
      const answer = await server.call(method.toUpperCase(), path, body);
      fits(template, method, answer.status, answer.body);
      return answer.body;
    };
    const content = 'steps:\n  - id: q\n    ask: "ok?"\n';
    await check('put', '/v1/definitions/w', '/v1/definitions/{definition_id}', { content });
    await check('put', '/v1/definitions/w', '/v1/definitions/{definition_id}', { content, draft: true });
    await check('get', '/v1/definitions', '/v1/definitions');
    await check('get', '/v1/definitions/w', '/v1/definitions/{definition_id}');
    await check('post', '/v1/definitions/validate', '/v1/definitions/validate', { content: 'steps: 1' });
    await check('get', '/v1/definitions/w/versions/1', '/v1/definitions/{definition_id}/versions/{version}');
    await check(
      'get',
      '/v1/definitions/w/versions/2/diff',
      '/v1/definitions/{definition_id}/versions/{version}/diff',
    );
    await check(
      'post',
      '/v1/definitions/w/versions/2/publish',
      '/v1/definitions/{definition_id}/versions/{version}/publish',
    );
    const run = await check('post', '/v1/runs', '/v1/runs', { workflow: 'w', input: '' });
    await runWhen(server, run.run_id, 'waiting_hitl');
    await check('get', '/v1/runs', '/v1/runs');
    await check('get', '/v1/inbox', '/v1/inbox');
    await check('get', `/v1/runs/${run.run_id}?nodes=true`, '/v1/runs/{run_id}');
    await check('post', `/v1/runs/${run.run_id}/answer`, '/v1/runs/{run_id}/answer', { answer: 'x' });
    await runWhen(server, run.run_id, 'completed');
    await check('post', `/v1/runs/${run.run_id}/rerun`, '/v1/runs/{run_id}/rerun');
    await check('get', `/v1/runs/${run.run_id}/log`, '/v1/runs/{run_id}/log');
    for (const path of [
      'agents',
      'tools',
      'models',
      'capabilities',
      'usage',
      'health',
      'ready',
      'tokens',
      'audit',
    ])
      await check('get', `/v1/${path}`, `/v1/${path}`);
    await check('post', '/v1/tokens', '/v1/tokens', { name: 'x', scopes: ['read'] });
    const problem = await server.call('GET', '/v1/runs/nobody');
    const validate = ajv.compile({ $ref: 'api#/components/schemas/Problem' });
    expect(validate(problem.body), ajv.errorsText(validate.errors)).toBe(true);
  });

  it('[server.api-page] the page about it is what the table of routes says', () => {
    const path = fileURLToPath(new URL('../../../../docs/api.md', import.meta.url));
    expect(readFileSync(path, 'utf8')).toBe(apiPage(v1));
  });

  it('[server.usage] nothing was used when no model was asked', async () => {
    const { body } = await server.call('GET', '/v1/usage?group_by=workflow,model');
    expect(body.items).toEqual([]);
    const metrics = await (await fetch(`${server.url}/v1/metrics`)).text();
    expect(metrics).toMatch(/^lait_runs_total\{form="steps",status="completed"\} \d+$/m);
    expect(metrics).toContain('lait_http_requests_total{operation="createRun",status="201"}');
  });
});
