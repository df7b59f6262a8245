import { request as httpRequest } from 'node:http';
import { PassThrough } from 'node:stream';
import { Client } from '@modelcontextprotocol/sdk/client/index.js';
import { StreamableHTTPClientTransport } from '@modelcontextprotocol/sdk/client/streamableHttp.js';
import { StdioServerTransport } from '@modelcontextprotocol/sdk/server/stdio.js';
import { afterEach, describe, expect, it } from 'vitest';
import { StepError } from '../../../src/errors/errors.js';
import { agentParameters, type McpToolEntry, workflowParameters } from '../../../src/server/mcp/entry.js';
import { HostCheck } from '../../../src/server/mcp/host-check.js';
import { type ServeHttpOptions, serveMcpOverHttp } from '../../../src/server/mcp/serve-http.js';
import { serveMcpOverStdio } from '../../../src/server/mcp/serve-stdio.js';
import { createToolService } from '../../../src/tools/tool-service.js';

const events: string[] = [];
const entries: McpToolEntry[] = [
  {
    name: 'workflow__shout',
    description: 'makes it loud',
    inputSchema: workflowParameters({ mark: { type: 'string' } }),
    async call({ input, inputs }, { progress }) {
      progress('step 1');
      const text = `${String(input).toUpperCase()}${(inputs as { mark: string }).mark}`;
      return { text, structured: { text } };
    },
  },
  {
    name: 'agent__sad',
    inputSchema: agentParameters().schema,
    call: () => Promise.reject(new StepError({ code: 'x', message: 'no', cause: new Error('because') })),
  },
  {
    name: 'workflow__slow',
    inputSchema: workflowParameters(),
    call: (_, { signal }) =>
      new Promise((_resolve, reject) => {
        events.push('started');
        signal.addEventListener('abort', () => {
          setTimeout(() => {
            events.push('settled');
            reject(signal.reason);
          }, 20);
        });
      }),
  },
];
const options = { entries, name: 'lait', version: '1.2.3' };

const endings: (() => Promise<unknown>)[] = [];
afterEach(async () => {
  events.length = 0;
  for (const end of endings.splice(0).reverse()) await end();
});

async function serveHttp(more: Partial<ServeHttpOptions> = {}) {
  const server = await serveMcpOverHttp({ ...options, port: 0, ...more });
  endings.push(() => server.close());
  return server;
}

async function overStdio() {
  const [toServer, toClient] = [new PassThrough(), new PassThrough()];
  const controller = new AbortController();
  const served = serveMcpOverStdio({
    ...options,
    input: toServer,
    output: toClient,
    signal: controller.signal,
  });
  const client = new Client({ name: 'test', version: '1' });
  // The transport of servers reads one stream and writes another; so does a client.
  await client.connect(new StdioServerTransport(toClient, toServer));
  endings.push(async () => {
    toServer.end();
    controller.abort();
    await served;
  });
  return { client, toServer, served, controller };
}

async function overHttp() {
  const server = await serveHttp();
  const client = new Client({ name: 'test', version: '1' });
  await client.connect(new StreamableHTTPClientTransport(new URL(server.url)));
  endings.push(() => client.close());
  return { client, server };
}

async function waitFor(event: string) {
  while (!events.includes(event)) await new Promise((resolve) => setTimeout(resolve, 5));
}

describe.each([
  ['standard input and output', overStdio],
  ['streamable HTTP', overHttp],
])('the MCP server over %s', (_, connect) => {
  it('[tools.mcp-server] lists its tools and answers calls', async () => {
    const { client } = await connect();
    expect(client.getServerVersion()).toMatchObject({ name: 'lait', version: '1.2.3' });
    const { tools } = await client.listTools();
    expect(tools.map(({ name, description }) => [name, description])).toEqual([
      ['workflow__shout', 'makes it loud'],
      ['agent__sad', undefined],
      ['workflow__slow', undefined],
    ]);
    const progress: unknown[] = [];
    const result = await client.callTool(
      { name: 'workflow__shout', arguments: { input: 'お茶 tea', inputs: { mark: '?!' } } },
      undefined,
      { onprogress: ({ message }) => progress.push(message) },
    );
    expect(result).toMatchObject({
      content: [{ type: 'text', text: 'お茶 TEA?!' }],
      structuredContent: { text: 'お茶 TEA?!' },
    });
    expect(progress).toEqual(['step 1']);
  });

  it('tells failures and wrong arguments as results', async () => {
    const { client } = await connect();
    expect(await client.callTool({ name: 'agent__sad', arguments: { input: 'x' } })).toMatchObject({
      isError: true,
      content: [{ text: 'no: because' }],
    });
    for (const arguments_ of [
      {},
      { inputs: {} },
      { inputs: { mark: 1 } },
      { inputs: { mark: '!', other: 1 } },
    ]) {
      const result = await client.callTool({ name: 'workflow__shout', arguments: arguments_ });
      expect(result).toMatchObject({
        isError: true,
        content: [{ text: expect.stringContaining('do not fit') }],
      });
    }
    await expect(client.callTool({ name: 'nothing', arguments: {} })).rejects.toThrow(
      /unknown tool 'nothing'.*agent__sad/,
    );
  });

  it('cancels a call when the client does', async () => {
    const { client } = await connect();
    const controller = new AbortController();
    const call = client.callTool({ name: 'workflow__slow', arguments: {} }, undefined, {
      signal: controller.signal,
    });
    const rejected = expect(call).rejects.toThrow();
    await waitFor('started');
    controller.abort();
    await rejected;
    await waitFor('settled');
  });
});

describe('serving over standard input and output', () => {
  it('ends when the client closes the input, after the calls under way have settled', async () => {
    const { client, toServer, served } = await overStdio();
    const call = client.callTool({ name: 'workflow__slow', arguments: {} }).catch(() => {});
    await waitFor('started');
    toServer.end();
    await served;
    expect(events).toEqual(['started', 'settled']);
    await client.close();
    await call;
  });

  it('ends when it is told to', async () => {
    const { client, served, controller } = await overStdio();
    const call = client.callTool({ name: 'workflow__slow', arguments: {} }).catch(() => {});
    await waitFor('started');
    controller.abort();
    await served;
    expect(events).toEqual(['started', 'settled']);
    await client.close();
    await call;
  });

  it('survives lines that are no messages', async () => {
    const { client, toServer } = await overStdio();
    toServer.write('hello\n{"jsonrpc": 1}\n');
    expect((await client.listTools()).tools).toHaveLength(3);
  });
});

describe('serving over HTTP', () => {
  function post(url: string, headers: Record<string, string>, path?: string): Promise<number> {
    const target = new URL(url);
    return new Promise((resolve, reject) => {
      const request = httpRequest(
        { host: target.hostname, port: target.port, path: path ?? target.pathname, method: 'POST', headers },
        (response) => {
          response.resume();
          resolve(response.statusCode!);
        },
      );
      request.once('error', reject);
      request.end('{}');
    });
  }

  it('[tools.mcp-host-check] refuses other host names and origins, unless they are allowed', async () => {
    const { url } = await serveHttp();
    expect(await post(url, { host: 'evil.example' })).toBe(403);
    expect(await post(url, { origin: 'https://evil.example' })).toBe(403);
    expect(await post(url, { origin: 'null' })).toBe(403);
    expect(await post(url, { origin: 'http://localhost:3000' })).not.toBe(403);
    expect(await post(url, { host: 'localhost:1' })).not.toBe(403);
    const allowing = await serveHttp({ allowedHosts: ['lait.example'] });
    expect(await post(allowing.url, { host: 'lait.example' })).not.toBe(403);
    expect(await post(allowing.url, { host: 'evil.example' })).toBe(403);
  });

  it('has one endpoint and knows only its own sessions', async () => {
    const { url } = await serveHttp();
    expect(url).toMatch(/^http:\/\/127\.0\.0\.1:\d+\/mcp$/);
    expect(await post(url, {}, '/other')).toBe(404);
    expect(await post(url, { 'mcp-session-id': 'nobody' })).toBe(404);
    expect(
      await post(url, { 'content-type': 'application/json', accept: 'application/json' }),
    ).toBeGreaterThanOrEqual(400);
  });

  it('says so when the port is taken', async () => {
    const { url } = await serveHttp();
    await expect(serveHttp({ port: Number(new URL(url).port) })).rejects.toThrow(/port is in use/);
  });

  it('cancels and awaits calls when it closes', async () => {
    const { client, server } = await overHttp();
    const call = client.callTool({ name: 'workflow__slow', arguments: {} }).catch(() => {});
    await waitFor('started');
    await server.close();
    expect(events).toEqual(['started', 'settled']);
    await client.close();
    await call;
  });

  it('works for our own client', async () => {
    const { url } = await serveHttp();
    const service = createToolService({
      environment: { variables: {}, workingDirectory: '/' },
      mcpServers: { own: { url } },
    });
    endings.push(() => service.close());
    const { signal } = new AbortController();
    const { tools } = await service.open({ mcp: ['own'] }, { signal });
    expect(tools.map(({ definition }) => definition.function.name)).toContain('own__workflow__shout');
    const context = { signal, idempotencyKey: 'k', runId: 'r' };
    expect(await tools[0]!.call({ input: 'a', inputs: { mark: '!' } }, context)).toEqual({
      text: 'A!',
      isError: false,
    });
  });
});

describe('parameters', () => {
  it('of agents are their own object schema, or one argument', () => {
    const own = { type: 'object', properties: { place: { type: 'string' } } };
    expect(agentParameters(own).schema).toEqual(own);
    expect(agentParameters(own).toInput({ place: 'x' })).toEqual({ place: 'x' });
    expect(agentParameters().toInput({ input: 'text' })).toBe('text');
    expect(agentParameters({ type: 'array' })).toMatchObject({
      schema: { properties: { input: { type: 'array' } }, required: ['input'] },
    });
  });

  it('of workflows require the inputs that have no default', () => {
    expect(workflowParameters({ a: { type: 'string' }, b: { default: 1 } })).toMatchObject({
      required: ['inputs'],
      properties: { inputs: { required: ['a'] } },
    });
    expect(workflowParameters({ b: { default: 1 } })).not.toHaveProperty('required');
  });
});

describe('the host check', () => {
  it.each([
    ['127.0.0.1', [], 'localhost:8080', true],
    ['127.0.0.1', [], 'LOCALHOST', true],
    ['127.0.0.1', [], '[::1]:80', true],
    ['127.0.0.1', [], undefined, false],
    ['127.0.0.1', [], '', false],
    ['127.0.0.1', [], 'localhost.evil.example', false],
    ['127.0.0.1', [], 'evil@localhost', false],
    ['10.0.0.5', [], '10.0.0.5:80', true],
    ['0.0.0.0', [], '10.0.0.5:80', false],
    ['0.0.0.0', ['box.local:8080'], 'box.local:8080', true],
    ['0.0.0.0', ['box.local:8080'], 'box.local:9', false],
    ['0.0.0.0', ['fe80::1'], '[fe80::1]:80', true],
  ])('listening on %s, allowing %j: %j is %j', (listen, allowed, header, expected) => {
    expect(new HostCheck(listen, allowed).allowsHost(header)).toBe(expected);
  });
});
