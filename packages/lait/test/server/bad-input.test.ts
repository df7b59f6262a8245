import { connect } from 'node:net';
import fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { runWhen, startTestServer, type TestServer, until } from './support/test-server.js';

let server: TestServer;
let waiting: string;

beforeAll(async () => {
  server = await startTestServer();
  await server.context.definitions.put({
    id: 'ask',
    form: 'steps',
    content: 'inputs:\n  count: { type: integer, default: 1 }\nsteps:\n  - ask: "ok?"\n',
  });
  const { body } = await server.call('POST', '/v1/runs', { workflow: 'ask' });
  waiting = body.run_id;
  await runWhen(server, waiting, 'waiting_hitl');
});
afterAll(() => server.stop());

/** What must be the same after a request that was refused. */
async function everything(): Promise<string> {
  const { context } = server;
  const runs = await context.runs.list();
  return JSON.stringify([runs, await context.definitions.list(), await context.tokens.list()]);
}

async function refused(
  method: string,
  path: string,
  body: unknown,
  headers: Record<string, string> = {},
): Promise<{ status: number; code: string }> {
  const before = await everything();
  const answer = await server.call(method, path, body, headers);
  expect(answer.status, `${method} ${path}: ${JSON.stringify(answer.body)}`).toBeGreaterThanOrEqual(400);
  expect(answer.status).toBeLessThan(500);
  expect(answer.headers.get('content-type')).toBe('application/problem+json');
  expect(answer.body).toMatchObject({ status: answer.status, type: `urn:lait:problem:${answer.body.code}` });
  expect(typeof answer.body.detail).toBe('string');
  expect(await everything()).toBe(before);
  return { status: answer.status, code: answer.body.code };
}

describe('[server.bad-input] a request that is wrong is told what is wrong, and changes nothing', () => {
  it.each([
    ['malformed JSON', '{"workflow": ', 400, 'json_invalid'],
    ['JSON nested too deep', '['.repeat(5000) + ']'.repeat(5000), 400, 'json_too_deep'],
    ['no body', undefined, 422, 'request_invalid'],
    ['a list', [], 422, 'request_invalid'],
    ['null', null, 422, 'request_invalid'],
    ['wrong types', { workflow: 7, inputs: 'x', priority: 'high' }, 422, 'request_invalid'],
    ['an unknown member', { workflow: 'ask', workflw: 1 }, 422, 'request_invalid'],
    ['an unknown workflow', { workflow: 'nobody' }, 404, 'workflow_not_found'],
    ['an unknown version', { workflow: 'ask', version: 9 }, 404, 'definition_version_not_found'],
    ['inputs that do not fit', { workflow: 'ask', inputs: { count: 'many' } }, 422, undefined],
    ['inputs that nobody declared', { workflow: 'ask', inputs: { other: 1 } }, 422, undefined],
    ['a run id that is a path', { workflow: 'ask', run_id: '../../etc/passwd' }, 422, 'request_invalid'],
    ['a prototype', '{"workflow":"ask","__proto__":{"x":1}}', 422, 'request_invalid'],
  ] as const)('POST /v1/runs with %s', async (_what, body, status, code) => {
    const answer = await refused('POST', '/v1/runs', body);
    expect(answer.status).toBe(status);
    if (code !== undefined) expect(answer.code).toBe(code);
  });

  it('a member of several types that is missing is named with them', async () => {
    const { body } = await server.call('PUT', '/v1/definitions/x', { definition: {} });
    expect(body).toMatchObject({
      errors: [
        { in: 'body', path: 'content', message: expect.stringMatching(/expected string or (object|record)/) },
        { in: 'body', path: '', message: expect.stringContaining('definition') },
      ],
    });
  });

  it('an answer that is missing is named as such', async () => {
    const { body } = await server.call('POST', '/v1/runs/none/answer', {});
    expect(body).toMatchObject({
      errors: [
        { in: 'body', path: 'answer', message: 'Invalid input: expected a value, received undefined' },
      ],
    });
  });

  it('a body of another type, of no type, or not in UTF-8', async () => {
    for (const type of ['text/plain', 'application/x-www-form-urlencoded', 'multipart/form-data'])
      expect(await refused('POST', '/v1/runs', '{}', { 'content-type': type })).toMatchObject({
        status: 415,
      });
    expect(await refused('POST', '/v1/runs', '{}', { 'content-encoding': 'gzip' })).toEqual({
      status: 415,
      code: 'encoding_unsupported',
    });
    const response = await fetch(`${server.url}/v1/runs`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: Buffer.from([0x7b, 0xff, 0x7d]),
    });
    expect([response.status, ((await response.json()) as { code: string }).code]).toEqual([
      400,
      'body_not_utf8',
    ]);
  });

  it('a body of 100 MB, declared or not, is refused before it is read', async () => {
    let sent = 0;
    const part = Buffer.alloc(64 * 1024, 0x20);
    const body = new ReadableStream({
      pull(controller) {
        sent += part.length;
        if (sent > 100 * 1024 * 1024) controller.close();
        else controller.enqueue(part);
      },
    });
    const answer = await fetch(`${server.url}/v1/runs`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body,
      duplex: 'half',
    } as RequestInit).then(
      ({ status }) => status,
      // The connection may be closed under a client that goes on sending.
      () => 413,
    );
    expect(answer).toBe(413);
    expect(sent).toBeLessThan(60 * 1024 * 1024);
    const declared = await raw(
      'POST /v1/runs HTTP/1.1\r\nHost: localhost\r\ncontent-type: application/json\r\ncontent-length: 104857600\r\n\r\n{',
    );
    expect(declared).toContain(' 413 ');
    expect((await server.call('GET', '/v1/health')).status).toBe(200);
  });

  it.each([
    ['GET', '/v1/runs/nobody', 404, 'run_not_found'],
    ['GET', '/v1/runs/nobody/log', 404, 'run_not_found'],
    ['GET', '/v1/runs/nobody/events', 404, 'run_not_found'],
    ['POST', '/v1/runs/nobody/cancel', 404, 'run_not_found'],
    ['DELETE', '/v1/runs/nobody', 404, 'run_not_found'],
    ['GET', '/v1/definitions/nobody', 404, 'definition_not_found'],
    ['GET', '/v1/definitions/ask/versions/9', 404, 'definition_version_not_found'],
    ['GET', '/v1/definitions/ask/versions/one', 422, 'request_invalid'],
    ['GET', '/v1/definitions/ask/versions/99999999999', 422, 'request_invalid'],
    ['DELETE', '/v1/tokens/tok_nobody', 404, 'token_not_found'],
    ['GET', '/v1/runs?cursor=garbage', 422, 'cursor_invalid'],
    ['GET', `/v1/runs?cursor=${Buffer.from('[1,2]').toString('base64url')}`, 422, 'cursor_invalid'],
    ['GET', '/v1/runs?limit=0', 422, 'request_invalid'],
    ['GET', '/v1/runs?limit=all', 422, 'request_invalid'],
    ['GET', '/v1/runs?status=asleep', 422, 'request_invalid'],
    ['GET', '/v1/runs?created_from=yesterday', 422, 'request_invalid'],
    ['GET', '/v1/runs?unknown=1', 422, 'request_invalid'],
    ['GET', '/v1/nothing', 404, 'route_not_found'],
    ['GET', '/', 404, 'route_not_found'],
    ['PATCH', '/v1/runs', 405, 'method_not_allowed'],
  ] as const)('%s %s', async (method, path, status, code) => {
    expect(await refused(method, path, undefined)).toEqual({ status, code });
  });

  it('who only knows the address of the server is told where its routes are described', async () => {
    const { detail } = (await server.call('GET', '/')).body;
    const [, path] = /GET (\S+) tells/.exec(detail)!;
    expect((await server.call('GET', path!)).body.openapi).toMatch(/^3\./);
  });

  it('clients that go away in the middle of a body are no failure of the server', async () => {
    const levels: number[] = [];
    const own = await startTestServer({
      onLog: (line) => {
        const { operation, msg, level, status } = JSON.parse(line);
        if (operation === 'createRun' || msg === 'request failed') levels.push(level, status);
      },
    });
    try {
      const { port } = new URL(own.url);
      const socket = connect(Number(port), '127.0.0.1', () => {
        const head = 'POST /v1/runs HTTP/1.1\r\nHost: localhost\r\ncontent-type: application/json\r\n';
        socket.write(`${head}content-length: 100\r\n\r\n{"work`, () => socket.destroy());
      });
      await until(async () => levels.length > 0);
      expect(levels).toEqual([30, 400]);
    } finally {
      await own.stop();
    }
  });

  it('paths in ids lead nowhere', async () => {
    for (const id of [
      '..%2F..%2Fetc%2Fpasswd',
      '%2Fetc%2Fpasswd',
      '..%5C..%5Cwindows',
      '%00',
      'a%0d%0aset-cookie:%20x',
      '%F0%9F',
      '%ED%A0%80',
      '__proto__',
      'constructor',
    ])
      for (const path of [`/v1/runs/${id}`, `/v1/definitions/${id}`, `/v1/runs/${id}/events`])
        expect([404, 422, 400]).toContain((await refused('GET', path, undefined)).status);
  });

  it('answers that do not fit, and a second answer', async () => {
    const path = `/v1/runs/${waiting}`;
    expect(await refused('POST', `${path}/answer`, { answer: 'x', question: 'nobody' })).toMatchObject({
      status: 409,
    });
    expect(await refused('POST', `${path}/approve`, undefined)).toMatchObject({ status: 409 });
    expect(await refused('POST', `${path}/resume`, undefined)).toMatchObject({ status: 409 });
    expect(await refused('POST', `${path}/rerun`, {})).toMatchObject({ status: 409 });
    expect(await refused('POST', `${path}/attention`, { decision: 'fail' })).toMatchObject({ status: 409 });
    expect(await refused('DELETE', path, undefined)).toMatchObject({ status: 409, code: 'run_not_ended' });
    const answers = await Promise.all(
      Array.from({ length: 6 }, (_, index) => server.call('POST', `${path}/answer`, { answer: `a${index}` })),
    );
    expect(answers.map(({ status }) => status).sort()).toEqual([200, 409, 409, 409, 409, 409]);
    await runWhen(server, waiting, 'completed');
    expect(await refused('POST', `${path}/answer`, { answer: 'late' })).toMatchObject({ status: 409 });
  });

  it('header injection and broken HTTP', async () => {
    const status = async (text: string) => Number(/^HTTP\/1\.1 (\d+)/.exec(await raw(text))?.[1]);
    expect(await status('GET /v1/health HTTP/1.1\r\nHost: localhost\r\nX: a\rb\r\n\r\n')).toBe(400);
    expect(await status('GET /v1/health HTTP/1.1\r\n\r\n')).toBe(400);
    expect(
      await status(`GET /v1/health HTTP/1.1\r\nHost: localhost\r\nX: ${'a'.repeat(100_000)}\r\n\r\n`),
    ).toBe(431);
    expect(await status('GET /v1/%zz HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n')).toBe(404);
    const key = await server.call(
      'POST',
      '/v1/runs',
      { workflow: 'ask' },
      { 'idempotency-key': 'x'.repeat(5000) },
    );
    expect(key.status).toBe(201);
  });

  it('whatever is sent, the answer is a problem document or a success, never a failure of the server', async () => {
    await fc.assert(
      fc.asyncProperty(fc.json({ maxDepth: 4 }), async (body) => {
        const { status } = await server.call('POST', '/v1/definitions/validate', body);
        expect(status).toBeLessThan(500);
        const put = await server.call('PUT', '/v1/definitions/any', `{"content":${body},"draft":false}`);
        expect(put.status).toBeLessThan(500);
      }),
      { numRuns: 60 },
    );
  });
});

/** Sends bytes as they are and gives what comes back until the connection is closed. */
function raw(text: string): Promise<string> {
  const { port } = new URL(server.url);
  return new Promise((resolve, reject) => {
    const socket = connect(Number(port), '127.0.0.1', () => socket.write(text));
    let answer = '';
    socket.setTimeout(3000, () => socket.destroy());
    socket.on('data', (data) => {
      answer += data.toString();
    });
    socket.on('close', () => resolve(answer));
    socket.on('error', reject);
  });
}
