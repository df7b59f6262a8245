import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { httpRequest } from '../../src/capabilities/built-in/http-request.js';
import { configuredCapability } from '../../src/capabilities/configured-capability.js';
import { isPrivateAddress } from '../../src/capabilities/private-addresses.js';
import type { CapabilityContext } from '../../src/kinds/services.js';
import type { JsonObject } from '../../src/values/value.js';

const seen: { method?: string; url?: string; headers: IncomingMessage['headers']; body: string }[] = [];
let server: Server;
let base: string;

beforeAll(async () => {
  server = createServer(async (request, response) => {
    let body = '';
    for await (const part of request) body += String(part);
    seen.push({ method: request.method, url: request.url, headers: request.headers, body });
    answer(request.url ?? '', response);
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  base = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
});
afterAll(() => {
  server.closeAllConnections();
  server.close();
});

function answer(url: string, response: ServerResponse): void {
  if (url === '/json') response.setHeader('content-type', 'application/json').end('{"a":"日本語🎉"}');
  else if (url === '/missing') response.writeHead(404).end('nothing here');
  else if (url === '/big') response.end('x'.repeat(5000));
  else if (url === '/silent') response.writeHead(200).write('…');
  else if (url === '/break') response.destroy();
  else if (url === '/away') response.writeHead(302, { location: 'http://example.com/' }).end();
  else if (url === '/round') response.writeHead(302, { location: '/round' }).end();
  else if (url === '/next') response.writeHead(302, { location: '/json' }).end();
  else response.end('ok');
}

const abort = new AbortController();
const context = { signal: abort.signal, activationId: 'act-1' } as CapabilityContext;
const call = (inputs: JsonObject, settings: object = { allowed_private_hosts: ['127.0.0.1'] }) =>
  httpRequest('http_request', settings).execute({ method: 'GET', ...inputs }, context);

describe('http_request', () => {
  it('gives status, headers, text and parsed JSON, and tells the activation', async () => {
    expect(await call({ url: `${base}/json`, headers: { 'X-Own': '1' } })).toMatchObject({
      status: 'succeeded',
      output: {
        status: 200,
        ok: true,
        json: { a: '日本語🎉' },
        headers: { 'content-type': 'application/json' },
      },
    });
    expect(seen.at(-1)).toMatchObject({ headers: { 'idempotency-key': 'act-1', 'x-own': '1' } });
    expect(await call({ url: `${base}/missing` })).toMatchObject({
      output: { status: 404, ok: false, body: 'nothing here' },
    });
    await call({ method: 'POST', url: `${base}/post`, body: 'text' });
    expect(seen.at(-1)).toMatchObject({ method: 'POST', body: 'text' });
  });

  it.each<[string, object]>([
    ['http://example.com/', {}],
    ['http://example.com/', { allowed_hosts: ['example.org'] }],
    ['http://sub.example.com/', { allowed_hosts: ['example.com'] }],
    ['http://notexample.com/', { allowed_hosts: ['*.example.com'] }],
    ['file:///etc/passwd', { allowed_hosts: ['*'] }],
    ['http://user:password@example.com/', { allowed_hosts: ['example.com'] }],
    ['not a url', { allowed_hosts: ['example.com'] }],
    ['http://127.0.0.1:1/', { allowed_hosts: ['127.0.0.1'] }],
    ['http://[::1]:1/', { allowed_hosts: ['[::1]'] }],
    ['http://localhost:1/', { allowed_hosts: ['localhost'] }],
    ['http://2130706433:1/', { allowed_hosts: ['127.0.0.1'] }],
    ['http://0x7f.1:1/', { allowed_hosts: ['127.0.0.1'] }],
  ])('refuses %s with %j', async (url, settings) => {
    await expect(call({ url }, settings)).rejects.toMatchObject({ code: 'http_refused' });
  });

  it('checks where redirects lead, and how many there are [capability.http-confined]', async () => {
    expect(await call({ url: `${base}/next` })).toMatchObject({ output: { json: { a: '日本語🎉' } } });
    await expect(call({ url: `${base}/away` })).rejects.toMatchObject({ code: 'http_refused' });
    await expect(call({ url: `${base}/round` })).rejects.toMatchObject({ code: 'http_failed' });
    expect(await call({ method: 'POST', url: `${base}/next` })).toMatchObject({ output: { status: 302 } });
  });

  it('bounds size and time, and stops when it is told to', async () => {
    await expect(
      call({ url: `${base}/big` }, { allowed_private_hosts: ['127.0.0.1'], max_bytes: 4999 }),
    ).rejects.toMatchObject({ code: 'http_too_large' });
    await expect(call({ url: `${base}/silent`, timeout_ms: 50 })).rejects.toMatchObject({
      code: 'http_timeout',
      category: 'timeout',
    });
    await expect(call({ url: `${base}/break` })).rejects.toMatchObject({ code: 'http_failed' });
    const stop = new AbortController();
    const stopped = httpRequest('http_request', { allowed_private_hosts: ['127.0.0.1'] }).execute(
      { method: 'GET', url: `${base}/silent` },
      { ...context, signal: stop.signal },
    );
    stop.abort();
    await expect(stopped).rejects.toThrow();
  });

  it.each(['Host', 'content-length', 'Transfer-Encoding', 'Proxy-Authorization'])(
    'does not let %s be set',
    async (name) => {
      await expect(call({ url: `${base}/json`, headers: { [name]: 'x' } })).rejects.toMatchObject({
        code: 'http_refused',
      });
    },
  );
});

describe('private addresses', () => {
  it.each([
    '127.0.0.1',
    '10.1.2.3',
    '172.31.0.1',
    '192.168.1.1',
    '169.254.169.254',
    '100.64.0.1',
    '0.0.0.0',
    '::1',
    '::',
    'fe80::1',
    'fd00::1',
    '::ffff:127.0.0.1',
    '::ffff:7f00:1',
    '::ffff:0:7f00:1',
    '64:ff9b::7f00:1',
    '2002:7f00:1::',
    'ff02::1',
  ])('%s is one', (address) => {
    expect(isPrivateAddress(address)).toBe(true);
  });
  it.each(['8.8.8.8', '93.184.216.34', '2606:2800:220:1:248:1893:25c8:1946', '::ffff:8.8.8.8'])(
    '%s is none',
    (address) => {
      expect(isPrivateAddress(address)).toBe(false);
    },
  );
});

describe('an HTTP capability', () => {
  const backed = (http: object, effects: string[] = []) =>
    configuredCapability(
      'send',
      { http: http as never, effects },
      {
        environment: { variables: { TOKEN: 't0ken' }, workingDirectory: '/' },
        tools: { registered: () => undefined },
      },
    );

  it('sends its inputs as body or query and gives the parsed answer', async () => {
    const post = backed({ url: `${base}/json`, headers: { Authorization: 'Bearer ${TOKEN}' } }, ['sent']);
    expect(await post.execute({ a: 1 }, context)).toEqual({
      status: 'succeeded',
      output: { a: '日本語🎉' },
      effects: ['sent'],
    });
    expect(seen.at(-1)).toMatchObject({
      method: 'POST',
      body: '{"a":1}',
      headers: { authorization: 'Bearer t0ken', 'idempotency-key': 'act-1' },
    });
    await backed({ method: 'GET', url: `${base}/q?x=1` }).execute({ b: [1], c: 'ä' }, context);
    expect(seen.at(-1)!.url).toBe('/q?x=1&b=%5B1%5D&c=%C3%A4');
  });

  it('fails on a status of 400 and above, and on a variable that is not set', async () => {
    expect(await backed({ url: `${base}/missing` }).execute({}, context)).toMatchObject({
      status: 'failed',
      error: expect.stringContaining('404'),
    });
    await expect(backed({ url: '${NOPE}' }).execute({}, context)).rejects.toMatchObject({
      code: 'variable_unset',
    });
  });
});
