import { readFileSync } from 'node:fs';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { request as httpRequest } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { startServer } from '../../src/server/start-server.js';
import { v1 } from '../../src/server/v1.js';
import { SecretRegistry } from '../../src/values/secrets.js';
import { serverWith, stopServers } from './support/servers.js';
import { runWhen, startTestServer, type TestServer } from './support/test-server.js';

/** `fetch` sets these headers itself; here they can be anything. */
function statusOf(server: TestServer, headers: Record<string, string>, path = '/v1/runs'): Promise<number> {
  const { hostname, port } = new URL(server.url);
  return new Promise((resolve, reject) => {
    const request = httpRequest({ hostname, port, path, headers }, (response) => {
      response.resume();
      resolve(response.statusCode ?? 0);
    });
    request.on('error', reject);
    request.end();
  });
}

const bearer = (token: string) => ({ authorization: `Bearer ${token}` });
const pure = 'steps:\n  - jq: .\n';

describe('who may do what', () => {
  it('[server.tokens] a token does what its scopes say and nothing else', async () => {
    const server = await serverWith({ settings: { requireToken: true } });
    const { tokens, definitions } = server.context;
    await definitions.put({ id: 'w', form: 'steps', content: pure });
    const of = async (...scopes: Parameters<typeof tokens.create>[0]['scopes']) =>
      bearer((await tokens.create({ name: scopes.join('+'), scopes })).token);
    const read = await of('read');
    const run = await of('run');
    const write = await of('write');
    const answer = await of('answer');
    const admin = await of('admin');
    const requests: [string, string, unknown, string][] = [
      ['GET', '/v1/runs', undefined, 'read'],
      ['GET', '/v1/definitions', undefined, 'read'],
      ['GET', '/v1/inbox', undefined, 'read'],
      ['GET', '/v1/usage', undefined, 'read'],
      ['POST', '/v1/runs', { workflow: 'w', input: '' }, 'run'],
      ['PUT', '/v1/definitions/w', { content: pure }, 'write'],
      ['POST', '/v1/runs/x/answer', { answer: 1 }, 'answer'],
      ['POST', '/v1/runs/x/approve', undefined, 'answer'],
      ['GET', '/v1/tokens', undefined, 'admin'],
      ['POST', '/v1/tokens', { name: 'x', scopes: ['admin'] }, 'admin'],
      ['GET', '/v1/audit', undefined, 'admin'],
      ['GET', '/v1/metrics', undefined, 'admin'],
    ];
    const headers = { read, run, write, answer };
    for (const [method, path, body, scope] of requests) {
      for (const [name, header] of Object.entries(headers)) {
        if (path === '/v1/metrics' && name !== 'read') continue;
        const { status, body: told } = await server.call(method, path, body, header);
        if (name === scope) expect([200, 201, 404], `${name} ${method} ${path}`).toContain(status);
        else expect([status, told.code], `${name} ${method} ${path}`).toEqual([403, 'scope_missing']);
      }
    }
    expect((await fetch(`${server.url}/v1/metrics`, { headers: admin })).status).toBe(200);
    const consent = await server.call('POST', '/v1/runs', { workflow: 'w', skip_approval: true }, run);
    expect(consent).toMatchObject({ status: 403, body: { code: 'scope_missing' } });
    const { body } = await server.call('GET', '/v1/audit?limit=1000', undefined, admin);
    expect(body.items.some((event: { action: string }) => event.action === 'access.refused')).toBe(true);
    expect(body.items.some((event: { action: string }) => event.action === 'run.created')).toBe(true);
  });

  it('[server.tokens] missing, wrong, revoked and expired tokens are refused; guessing is slowed down', async () => {
    const server = await serverWith({ settings: { requireToken: true } });
    const { tokens } = server.context;
    const missing = await server.call('GET', '/v1/runs');
    expect([missing.status, missing.headers.get('www-authenticate')]).toEqual([401, 'Bearer']);
    const good = await tokens.create({ name: 'good', scopes: ['read'] });
    const old = await tokens.create({ name: 'old', scopes: ['read'], expiresAt: new Date(1).toISOString() });
    expect((await server.call('GET', '/v1/runs', undefined, bearer(good.token))).status).toBe(200);
    expect((await server.call('GET', '/v1/runs', undefined, bearer(old.token))).body.code).toBe(
      'token_invalid',
    );
    await tokens.revoke(good.view.id);
    expect((await server.call('GET', '/v1/runs', undefined, bearer(good.token))).status).toBe(401);
    for (const header of [
      'Basic abc',
      'Bearer',
      `Bearer ${'x'.repeat(5000)}`,
      `Bearer ${good.token.slice(0, -1)}`,
    ])
      expect((await server.call('GET', '/v1/runs', undefined, { authorization: header })).status).toBe(401);
    const guesses: number[] = [];
    for (let index = 0; index < 20; index += 1)
      guesses.push((await server.call('GET', '/v1/runs', undefined, bearer(`lait_${index}`))).status);
    expect(guesses.at(-1)).toBe(429);
    expect((await server.call('GET', '/v1/health')).status).toBe(200);
    const stored = readFileSync(join(server.directory, 'lait.db'), 'latin1');
    const log = readFileSync(join(server.directory, 'lait.db-wal'), 'latin1');
    expect(stored + log).not.toContain(good.token);
  });

  it('[server.loopback] programs of this machine need no token, unless they send a wrong one', async () => {
    const server = await serverWith();
    expect((await server.call('GET', '/v1/tokens')).status).toBe(200);
    expect((await server.call('GET', '/v1/tokens', undefined, bearer('lait_wrong'))).status).toBe(401);
  });

  it('[server.public-needs-tokens] an address that others reach is not bound without a token', async () => {
    const server = await serverWith();
    const start = () => startServer({ context: server.context, groups: [v1], host: '0.0.0.0', port: 0 });
    await expect(start()).rejects.toMatchObject({ code: 'tokens_missing' });
    const { view } = await server.context.tokens.create({ name: 'x', scopes: ['read'] });
    await server.context.tokens.revoke(view.id);
    await expect(start()).rejects.toMatchObject({ code: 'tokens_missing' });
  });

  it('what a proxy on this machine passes on needs a token', async () => {
    const server = await serverWith({ settings: { allowedHosts: ['lait.example.com'] } });
    const { host } = new URL(server.url);
    expect(await statusOf(server, { host: 'lait.example.com' })).toBe(401);
    for (const name of ['forwarded', 'via', 'x-forwarded-for', 'x-forwarded-host', 'x-real-ip'])
      expect(await statusOf(server, { host, [name]: '203.0.113.7' }), name).toBe(401);
    const { token } = await server.context.tokens.create({ name: 'reader', scopes: ['read'] });
    const authorization = `Bearer ${token}`;
    expect(await statusOf(server, { host: 'lait.example.com', authorization })).toBe(200);
  });

  it('[server.host-check] requests for another host and from other sites are refused', async () => {
    const server = await serverWith({ settings: { allowedHosts: ['lait.example.com'] } });
    const { host } = new URL(server.url);
    expect(await statusOf(server, { host })).toBe(200);
    expect(await statusOf(server, { host: 'evil.example' })).toBe(403);
    expect(await statusOf(server, { host: 'lait.example.com' }, '/v1/health')).toBe(200);
    expect(await statusOf(server, { host, origin: 'https://evil.example' })).toBe(403);
    expect(await statusOf(server, { host, origin: 'null' })).toBe(403);
    expect(await statusOf(server, { host, 'sec-fetch-site': 'cross-site' })).toBe(403);
    expect(await statusOf(server, { host, origin: 'http://lait.example.com' })).toBe(200);
    expect(await statusOf(server, { host: 'evil.example' }, '/v1/health')).toBe(403);
  });

  it('[server.rate-limit] whoever sends too much is told to wait', async () => {
    const server = await serverWith({ settings: { rateLimit: { perSecond: 0.5, burst: 5 } } });
    const answers = [];
    for (let index = 0; index < 8; index += 1) answers.push(await server.call('GET', '/v1/runs'));
    expect(answers.map(({ status }) => status)).toEqual([200, 200, 200, 200, 200, 429, 429, 429]);
    expect(Number(answers[7]!.headers.get('retry-after'))).toBeGreaterThan(0);
  });
});

describe('what definitions that came over HTTP may do', () => {
  const hostile: [string, string, string][] = [
    ['run', 'programs', 'steps:\n  - run: ["touch", "owned"]\n'],
    ['run', 'programs in a branch', 'steps:\n  - parallel:\n      a: [{ run: ["touch", "owned"] }]\n'],
    ['write', 'files', 'steps:\n  - write: owned.txt\n'],
    ['files', 'attached files', 'steps:\n  - prompt: hi\n    files: ["/etc/passwd"]\n'],
    ['files', 'schema files', 'steps:\n  - prompt: hi\n    output_schema: { file: /etc/passwd }\n'],
    ['files', 'agent files', 'steps:\n  - agent: ../../secrets.md\n'],
    ['files', 'workflow files', 'steps:\n  - workflow: ../../other.yml\n'],
    [
      'files',
      'agents with files',
      'agents: { a: { system: x, files: [/etc/passwd] } }\nsteps:\n  - agent: a\n',
    ],
    [
      'endpoints',
      'model servers',
      'models: { m: [{ model_id: x, provider: { base_url: "http://evil.example", api_key: "${HOME}" } }] }\nsteps:\n  - prompt: hi\n    model: m\n',
    ],
  ];
  it.each(hostile)(
    '[server.allow] nothing of %s (%s) unless it is allowed',
    async (permission, _what, content) => {
      const server = await serverWith();
      const put = await server.call('PUT', '/v1/definitions/x', { content });
      expect([put.status, put.body.diagnostics?.[0]?.code]).toEqual([422, 'not_allowed_here']);
      expect(put.body.diagnostics[0].hint).toContain(`server.allow: [${permission}]`);
      const allowing = await serverWith({ settings: { allow: [permission as 'run'] } });
      expect((await allowing.call('PUT', '/v1/definitions/x', { content })).body.diagnostics).toBeUndefined();
    },
  );

  it('[server.allow] what was allowed once and is not any more does not run', async () => {
    const directory = await mkdtemp(join(tmpdir(), 'lait-server-'));
    try {
      const before = await startTestServer({ directory, settings: { allow: ['write'] } });
      await before.call('PUT', '/v1/definitions/x', { content: 'steps:\n  - write: out.txt\n' });
      await before.stop();
      const server = await serverWith({ directory });
      const run = await server.call('POST', '/v1/runs', { workflow: 'x', input: 'y' });
      expect([run.status, run.body.code]).toEqual([422, 'not_allowed_here']);
    } finally {
      await stopServers();
      await rm(directory, { recursive: true });
    }
  });

  it('[server.allow] a workflow that takes a path from its caller does not read outside of the configured directories', async () => {
    const directory = await mkdtemp(join(tmpdir(), 'lait-server-'));
    const outside = await mkdtemp(join(tmpdir(), 'lait-outside-'));
    try {
      await writeFile(join(outside, 'secret.yml'), 'steps:\n  - jq: \'"read"\'\n');
      const graph = {
        inputs_schema: { type: 'object', properties: { path: { type: 'string' } }, required: ['path'] },
        nodes: [
          {
            node_id: 'call',
            node_type: 'capability',
            config: {
              capability_key: 'run_workflow',
              inputs: { workflow: { $ref: 'run.inputs.path' } },
            },
          },
          { node_id: 'end', node_type: 'terminal', config: { outcome: 'success' } },
        ],
        edges: [
          {
            edge_id: 'e',
            source_node_id: 'call',
            target_node_id: 'end',
            edge_kind: 'normal',
            condition: null,
            order_index: 0,
          },
        ],
      };
      const server = await serverWith({
        directory,
        config: { capabilities: { run_workflow: { enabled: true, approval_policy: 'auto' } } },
      });
      const put = await server.call('PUT', '/v1/definitions/caller', { content: graph });
      expect(put.status, JSON.stringify(put.body)).toBe(201);
      for (const path of [join(outside, 'secret.yml'), `../${outside.split('/').at(-1)}/secret.yml`]) {
        const run = await server.call('POST', '/v1/runs', { workflow: 'caller', inputs: { path } });
        const ended = await runWhen(server, run.body.run_id, 'completed', 'failed');
        expect(ended.status).toBe('failed');
        expect(ended.error).toContain('cannot be called from here');
      }
    } finally {
      await stopServers();
      await rm(directory, { recursive: true });
      await rm(outside, { recursive: true });
    }
  });
});

describe('secrets', () => {
  it('[server.no-secrets] no response, event or log line holds a known secret', async () => {
    const secret = 'sk-very-secret-0123456789';
    const secrets = new SecretRegistry();
    secrets.add(secret);
    const lines: string[] = [];
    const server = await serverWith({
      secrets,
      onLog: (line) => lines.push(line),
      config: {
        models: { m: [{ model_id: 'x', provider: { base_url: 'http://127.0.0.1:1', api_key: secret } }] },
      },
    });
    await server.call('PUT', '/v1/definitions/w', {
      content: `steps:\n  - id: a\n    jq: '. + "${secret}"'\n`,
    });
    const { body: run } = await server.call('POST', '/v1/runs', { workflow: 'w', input: secret });
    await runWhen(server, run.run_id, 'completed', 'failed');
    const texts = await Promise.all(
      [
        `/v1/runs/${run.run_id}?nodes=true`,
        '/v1/runs',
        `/v1/runs/${run.run_id}/log`,
        `/v1/runs/${run.run_id}/events`,
        '/v1/definitions/w',
        '/v1/models',
        `/v1/runs/${secret}`,
        '/v1/audit',
        '/v1/metrics',
      ].map(async (path) => (await fetch(`${server.url}${path}`)).text()),
    );
    for (const text of texts) expect(text).not.toContain(secret);
    expect(lines.join('\n')).not.toContain(secret);
    expect(lines.length).toBeGreaterThan(5);
  });
});
