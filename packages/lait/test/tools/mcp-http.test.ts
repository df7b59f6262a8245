import { spawn } from 'node:child_process';
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import { type AddressInfo, createServer as createTcpServer } from 'node:net';
import { setTimeout as delay } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { messageChain } from '../../src/errors/lait-error.js';
import type { ToolService } from '../../src/kinds/services.js';
import { serveMcpOverHttp } from '../../src/server/mcp/serve-http.js';
import type { McpServerSettings } from '../../src/tools/mcp/mcp-server-settings.js';
import { createToolService } from '../../src/tools/tool-service.js';
import { testVariables } from './processes.js';

const { signal } = new AbortController();
const callContext = { signal, idempotencyKey: 'key-1', runId: 'r' };
const secrets: string[] = [];
const services: ToolService[] = [];
const servers: Server[] = [];
afterEach(async () => {
  await Promise.all(services.splice(0).map((service) => service.close()));
  for (const server of servers.splice(0)) {
    server.closeAllConnections();
    server.close();
  }
});

async function open(settings: McpServerSettings) {
  const service = createToolService({
    environment: { variables: { ...testVariables, TOKEN: 'secret-token-1' }, workingDirectory: '/' },
    mcpServers: { s: settings },
    onSecret: (value) => secrets.push(value),
  });
  services.push(service);
  const { tools } = await service.open({ mcp: ['s'] }, { signal });
  const call = (name: string, input = {}) =>
    tools.find(({ definition }) => definition.function.name === `s__${name}`)!.call(input, callContext);
  return { service, tools, call };
}

async function listen(handle: (request: IncomingMessage, response: ServerResponse) => void): Promise<string> {
  const server = createServer(handle);
  servers.push(server);
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}/mcp`;
}

function freePort(): Promise<number> {
  return new Promise((resolve) => {
    const server = createTcpServer().listen(0, '127.0.0.1', () => {
      const { port } = server.address() as AddressInfo;
      server.close(() => resolve(port));
    });
  });
}

describe('the reference server over streamable HTTP', () => {
  let url: string;
  let stop: () => void;
  beforeAll(async () => {
    const port = await freePort();
    const program = fileURLToPath(
      new URL('dist/index.js', import.meta.resolve('@modelcontextprotocol/server-everything/package.json')),
    );
    const child = spawn(process.execPath, [program, 'streamableHttp'], {
      env: { ...process.env, PORT: String(port) },
      stdio: ['ignore', 'ignore', 'pipe'],
    });
    stop = () => child.kill('SIGKILL');
    url = `http://127.0.0.1:${port}/mcp`;
    await new Promise<void>((resolve, reject) => {
      child.stderr.on('data', (text: Buffer) => /listening|port/i.test(text.toString()) && resolve());
      child.once('exit', () => reject(new Error('the reference server did not start')));
    });
  });
  afterAll(() => stop());

  it('[tools.mcp-http] is listed and called', async () => {
    const { tools, call } = await open({ url });
    expect(tools.length).toBeGreaterThan(5);
    expect(await call('echo', { message: '茶' })).toEqual({
      text: expect.stringContaining('茶'),
      isError: false,
    });
  });
});

describe('a server over streamable HTTP', () => {
  it('receives the configured headers, with variables, in every request', async () => {
    const seen = new Set<string | undefined>();
    const url = await listen((request, response) => {
      seen.add(request.headers.authorization);
      response.writeHead(401, { 'content-type': 'text/plain' }).end('who are you?');
    });
    // biome-ignore format: one line says it best
    const error = await open({ url, headers: { Authorization: 'Bearer ${TOKEN}' } }).catch((thrown) => thrown);
    expect([...seen]).toEqual(['Bearer secret-token-1']);
    expect(messageChain(error)).toMatch(/'s' could not be started \(HTTP 401\)/);
    expect(messageChain(error)).not.toContain('secret-token-1');
    expect(secrets).toContain('secret-token-1');
  });

  it('that is not there, or is none, fails clearly', async () => {
    const refused = await open({ url: `http://127.0.0.1:${await freePort()}/mcp` }).catch((thrown) => thrown);
    expect(refused.code).toBe('mcp_start_failed');
    expect(messageChain(refused)).toMatch(/ECONNREFUSED|fetch failed/);
    const html = await listen((_, response) =>
      response.writeHead(200, { 'content-type': 'text/html' }).end('<html>'),
    );
    await expect(open({ url: html })).rejects.toMatchObject({ code: 'mcp_start_failed' });
    await expect(open({ url: 'no address' })).rejects.toMatchObject({ code: 'mcp_start_failed' });
  });

  it('that never answers ends with the startup timeout', async () => {
    const url = await listen(() => {});
    await expect(open({ url, startup_timeout: 1 })).rejects.toMatchObject({ category: 'timeout' });
  });

  it('that has forgotten the session gets a new one, and the call is made once', async () => {
    let calls = 0;
    const entry = {
      name: 'count',
      inputSchema: { type: 'object' },
      call: async () => ({ text: String(++calls) }),
    };
    const serve = (port: number) => serveMcpOverHttp({ entries: [entry], name: 'n', version: '1', port });
    const first = await serve(0);
    const { call } = await open({ url: first.url });
    expect((await call('count')).text).toBe('1');
    await first.close();
    // Our client learns that its idle connections are gone in a later turn of the event loop.
    await delay(50);
    const second = await serve(Number(new URL(first.url).port));
    expect((await call('count')).text).toBe('2');
    await second.close();
    const error = await call('count').catch((thrown) => thrown);
    expect(error.code).toBe('mcp_failed');
  });
});
