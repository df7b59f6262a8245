import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { Client } from '@modelcontextprotocol/sdk/client/index.js';
import { StdioClientTransport } from '@modelcontextprotocol/sdk/client/stdio.js';
import { StreamableHTTPClientTransport } from '@modelcontextprotocol/sdk/client/streamableHttp.js';
import { describe, expect, it } from 'vitest';
import { listenAddress } from '../../src/cli/serve/listen-address.js';
import { json, says, startModelServer } from '../models/model-server.js';
import { directoryWith, lait, startLait, until } from './run-lait.js';

const launcher = fileURLToPath(new URL('../../bin/lait.js', import.meta.url));

async function served(): Promise<{ directory: string; requests: { text: string; body: object }[] }> {
  const server = await startModelServer(
    says('こんにちは 👋'),
    says('{"score":3}'),
    json({ error: { message: 'no such model' } }, 404),
  );
  const directory = directoryWith({
    'lait.config.yml': `base_url: "${server.baseUrl}"
default: { model: mm }
agents: { greeter: greeter.md, "critic ✍": critic.md, broken: broken.md }
workflows: { digest: digest.yml, human: human.yml, gone: none.yml }
`,
    'greeter.md': '---\ndescription: greets people\n---\nGreet {{ input }}.\n',
    'critic.md':
      '---\ninput_schema: { type: object, properties: { text: { type: string } }, required: [text] }\noutput_schema: { type: object }\n---\nJudge {{ input.text }}\n',
    'broken.md': '---\ntempratur: 1\n---\nx\n',
    'digest.yml':
      'description: makes a digest\ninputs: { mark: { type: string }, times: { type: integer, default: 1 } }\nsteps:\n  - { id: up, jq: "{text: (ascii_upcase + $inputs.mark), times: $inputs.times}" }\n',
    'human.yml': 'steps:\n  - group: [ { jq: . }, { ask: "ok?", default: "y" } ]\n',
  });
  return { directory, requests: server.requests };
}

const environment = { PATH: process.env.PATH ?? '' };

async function overStdio() {
  const { directory, requests } = await served();
  const client = new Client({ name: 'test', version: '1' });
  const transport = new StdioClientTransport({
    command: process.execPath,
    args: [launcher, 'serve', '--mcp'],
    cwd: directory,
    env: { ...environment, HOME: join(directory, 'home') },
    stderr: 'pipe',
  });
  let log = '';
  transport.stderr!.on('data', (chunk) => {
    log += chunk;
  });
  await client.connect(transport);
  return { client, requests, log: () => log, end: () => client.close() };
}

async function overHttp() {
  const { directory, requests } = await served();
  const running = startLait(directory, [
    'serve',
    '--mcp',
    '--http',
    '127.0.0.1:0',
    '--allowed-host',
    'tools.test',
  ]);
  await until(() => running.seen.stderr.includes('/mcp'));
  const url = /at (http:\S+)/.exec(running.seen.stderr)![1]!;
  const client = new Client({ name: 'test', version: '1' });
  await client.connect(new StreamableHTTPClientTransport(new URL(url)));
  const end = async () => {
    await client.close();
    running.child.kill('SIGINT');
    expect(await running.ended).toMatchObject({ code: 130, stdout: '' });
  };
  return { client, requests, log: () => running.seen.stderr, end, url };
}

describe.each([
  ['standard input and output', overStdio],
  ['streamable HTTP', overHttp],
])('lait serve --mcp over %s', (_, connect) => {
  it('[serve.mcp] lists agents and workflows and answers calls', async () => {
    const { client, requests, log, end } = await connect();
    const { tools } = await client.listTools();
    expect(tools.map(({ name }) => name)).toEqual(['agent__greeter', 'agent__critic__', 'workflow__digest']);
    expect(tools[0]).toMatchObject({ description: 'greets people', inputSchema: { required: ['input'] } });
    expect(tools[1]!.inputSchema).toMatchObject({ required: ['text'] });
    expect(tools[2]).toMatchObject({
      description: 'makes a digest',
      inputSchema: { required: ['inputs'], properties: { inputs: { required: ['mark'] } } },
    });
    expect(log()).toMatch(/note: .*'human' is left out: \S*steps\[0\]\.group\[1\] waits for a person/);
    expect(log()).toMatch(/note: .*'broken' is left out/);
    expect(log()).toMatch(/note: .*'gone' is left out/);

    const call = (name: string, arguments_: object) =>
      client.callTool({ name, arguments: arguments_ as Record<string, unknown> });
    expect(await call('agent__greeter', { input: '世界' })).toMatchObject({
      content: [{ type: 'text', text: 'こんにちは 👋' }],
    });
    expect(requests[0]!.body).toMatchObject({ messages: [{ content: 'Greet 世界.' }, { content: '世界' }] });
    expect(await call('agent__critic__', { text: 'x' })).toMatchObject({ structuredContent: { score: 3 } });
    expect(await call('workflow__digest', { input: 'short', inputs: { mark: '?!' } })).toMatchObject({
      structuredContent: { text: 'SHORT?!', times: 1 },
    });
    for (const [name, arguments_, words] of [
      ['workflow__digest', { input: 'x' }, 'inputs'],
      ['workflow__digest', { input: 5, inputs: { mark: '' } }, 'ascii_upcase'],
      ['agent__critic__', { text: 1 }, 'text'],
      ['agent__greeter', { input: 'x' }, 'no such model'],
    ] as const) {
      expect(await call(name, arguments_)).toMatchObject({
        isError: true,
        content: [{ text: expect.stringContaining(words) }],
      });
    }
    await end();
  });
});

it('[serve.hosts] answers only to its own names and those that are allowed', async () => {
  const { url, end } = await overHttp();
  const { request } = await import('node:http');
  const status = (host: string) =>
    new Promise((resolve) => {
      request(url, { method: 'POST', headers: { host } }, (response) =>
        resolve(response.resume().statusCode),
      ).end();
    });
  expect(await status('evil.example')).toBe(403);
  expect(await status('tools.test')).not.toBe(403);
  await end();
});

it('refuses what it cannot serve', async () => {
  const { directory } = await served();
  for (const args of [
    ['serve', '--port', 'nowhere'],
    ['serve', '--mcp', '--http', 'nowhere'],
    ['serve', '--mcp', '--allowed-host', 'x'],
    ['--approve-tools', 'serve', '--mcp'],
  ]) {
    expect([args, await lait(directory, args)]).toEqual([
      args,
      expect.objectContaining({ code: 2, stdout: '' }),
    ]);
  }
});

it('reads addresses', () => {
  expect(listenAddress('8808')).toEqual({ host: '127.0.0.1', port: 8808 });
  expect(listenAddress(':0')).toEqual({ host: '127.0.0.1', port: 0 });
  expect(listenAddress('0.0.0.0:80')).toEqual({ host: '0.0.0.0', port: 80 });
  expect(listenAddress('[::1]:80')).toEqual({ host: '::1', port: 80 });
  expect(() => listenAddress('host:99999')).toThrow('HOST:PORT');
  expect(() => listenAddress('::1:80')).toThrow('HOST:PORT');
});

it('a server whose log nobody reads any more ends when it is told to', async () => {
  const child = spawn(process.execPath, [launcher, 'serve', '--port', '0'], {
    cwd: directoryWith({}),
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  await once(child.stderr, 'data');
  child.stdout.destroy();
  child.stderr.destroy();
  child.kill('SIGTERM');
  const [code] = await once(child, 'exit');
  expect([0, 130]).toContain(code);
});
