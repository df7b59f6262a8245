import { mkdtemp, readFile, realpath, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { CancelledError } from '../../src/errors/errors.js';
import { messageChain } from '../../src/errors/lait-error.js';
import type { ModelTool, ToolCallContext, ToolService } from '../../src/kinds/services.js';
import type { McpServerSettings } from '../../src/tools/mcp/mcp-server-settings.js';
import { createToolService, type ToolServiceOptions } from '../../src/tools/tool-service.js';
import type { JsonObject, JsonValue } from '../../src/values/value.js';
import { isThere, processesWith, testVariables, uniqueSleep, until } from './processes.js';

const fixture = fileURLToPath(new URL('fixtures/mcp-server.mjs', import.meta.url));
const everything = fileURLToPath(
  new URL('dist/index.js', import.meta.resolve('@modelcontextprotocol/server-everything/package.json')),
);
const filesystem = fileURLToPath(
  new URL('dist/index.js', import.meta.resolve('@modelcontextprotocol/server-filesystem/package.json')),
);

let directory: string;
beforeAll(async () => {
  directory = await realpath(await mkdtemp(path.join(tmpdir(), 'lait-mcp-')));
});
afterAll(() => rm(directory, { recursive: true, force: true }));

const services: ToolService[] = [];
afterEach(async () => {
  await Promise.all(services.splice(0).map((service) => service.close()));
});

const { signal } = new AbortController();
const callContext: ToolCallContext = { signal, idempotencyKey: 'key-1', runId: 'r' };
const directContext = { ...callContext, state: {}, setState() {}, suspend: () => Promise.reject() };

function service(mcpServers: Record<string, McpServerSettings>, options: Partial<ToolServiceOptions> = {}) {
  const created = createToolService({
    environment: { variables: testVariables, workingDirectory: directory },
    mcpServers,
    ...options,
  });
  services.push(created);
  return created;
}

const node = (...args: string[]): McpServerSettings => ({ command: process.execPath, args });

async function open(settings: McpServerSettings, options: Partial<ToolServiceOptions> = {}) {
  const created = service({ s: settings }, options);
  const { tools } = await created.open({ mcp: ['s'] }, { signal });
  const find = (name: string): ModelTool =>
    tools.find(({ definition }) => definition.function.name === `s__${name}`)!;
  return {
    created,
    tools,
    call: (name: string, input: JsonObject = {}) => find(name).call(input, callContext),
  };
}

let logs = 0;
function logFile() {
  logs += 1;
  const file = path.join(directory, `log-${logs}`);
  return { file, lines: async () => (await readFile(file, 'utf8')).trim().split('\n') };
}

describe('the reference servers over standard input and output', () => {
  it('[tools.mcp-named] are listed under the name of the server, with their schemas', async () => {
    const { tools } = await open(node(everything, 'stdio'));
    const echo = tools.find(({ definition }) => definition.function.name === 's__echo')!;
    expect(echo.definition.function).toMatchObject({
      description: expect.stringMatching(/echo/i),
      parameters: { type: 'object', properties: { message: { type: 'string' } }, required: ['message'] },
    });
    expect(tools.length).toBeGreaterThan(5);
  });

  it('answer with text, describe images and resources, and report wrong arguments to the model', async () => {
    const { call, tools } = await open(node(everything, 'stdio'));
    expect(await call('echo', { message: 'お茶 🍵' })).toEqual({
      text: expect.stringContaining('お茶 🍵'),
      isError: false,
    });
    expect((await call('get-tiny-image')).text).toMatch(/\[image: image\/png, \d+ bytes\]/);
    expect((await call('get-resource-reference', { resourceType: 'Text', resourceId: 1 })).text).toMatch(
      /\[resource: \S+/,
    );
    expect(await call('get-sum', { a: 'x' })).toMatchObject({ isError: true });
    expect(tools.length).toBeGreaterThan(0);
  });

  it('are called directly with their structured content', async () => {
    const created = service({ s: node(everything, 'stdio') });
    const weather = await created
      .registered('s__get-structured-content')!
      .execute({ location: 'New York' }, directContext);
    expect(weather).toMatchObject({ temperature: expect.any(Number) });
    expect(await created.registered('s__echo')!.execute({ message: 'hi' }, directContext)).toContain('hi');
    await expect(created.registered('s__nothing')!.execute({}, directContext)).rejects.toThrow(
      /no tool 's__nothing'.*s__echo/,
    );
    await expect(created.registered('s__echo')!.execute('text', directContext)).rejects.toThrow(
      /object of arguments/,
    );
    expect(created.registered('other__echo')).toBeUndefined();
  });

  it('reach the file system they were given and nothing else', async () => {
    await writeFile(path.join(directory, 'note.txt'), 'メモ');
    const { call } = await open(node(filesystem, directory));
    expect((await call('read_text_file', { path: path.join(directory, 'note.txt') })).text).toContain('メモ');
    const refused = await call('read_text_file', { path: '/etc/passwd' });
    expect(refused.isError).toBe(true);
  });
});

describe('a server of one run', () => {
  it('[tools.mcp-lazy-shared] starts when it is first needed, once, and lists its tools once', async () => {
    const log = logFile();
    const created = service({ s: node(fixture, 'good', log.file), unused: node(fixture, 'dies-at-start') });
    await Promise.all([1, 2, 3].map(() => created.open({ mcp: ['s'] }, { signal })));
    const { tools } = await created.open({ mcp: ['s'] }, { signal });
    await Promise.all(tools.slice(0, 1).map((tool) => tool.call({}, callContext)));
    expect((await log.lines()).filter((line) => !line.startsWith('up'))).toEqual(['list', 'call echo']);
    expect((await log.lines()).filter((line) => line.startsWith('up'))).toHaveLength(1);
  });

  it('adds env to what it inherits and expands variables', async () => {
    const variables = { ...testVariables, OUTER: 'zz' };
    const settings = { ...node(fixture), env: { TOKEN: 't-${OUTER}' } };
    const { call } = await open(settings, { environment: { variables, workingDirectory: directory } });
    expect((await call('env', { name: 'TOKEN' })).text).toBe('t-zz');
    expect((await call('env', { name: 'OUTER' })).text).toBe('zz');
  });

  it('names an unset variable before anything is started', async () => {
    const opening = open({ ...node(fixture), env: { TOKEN: '${NOT_SET_Z}' } });
    await expect(opening).rejects.toThrow('NOT_SET_Z');
  });

  it('receives the idempotency key of the call', async () => {
    const { call } = await open(node(fixture));
    expect(JSON.parse((await call('meta')).text)).toMatchObject({ 'lait/idempotencyKey': 'key-1' });
  });

  it('receives no arguments that hold the same parts over and over [values.size]', async () => {
    const { call } = await open(node(everything, 'stdio'));
    let message: JsonValue = 1;
    for (let level = 0; level < 60; level += 1) message = [message, message];
    await expect(call('echo', { message })).rejects.toMatchObject({ code: 'value_too_large' });
  });

  it('receives arguments named __proto__ as they are', async () => {
    const { call } = await open(node(fixture));
    const hostile = JSON.parse('{"__proto__": {"polluted": true}, "constructor": 1}') as JsonObject;
    expect((await call('echo', hostile)).text).toBe('{"__proto__":{"polluted":true},"constructor":1}');
    expect(({} as JsonObject).polluted).toBeUndefined();
  });

  it('[tools.mcp-allowed-tools] stays listed but refuses what allowed_tools leaves out', async () => {
    const { tools, call } = await open({ ...node(fixture), allowed_tools: ['echo'] });
    expect(tools.length).toBeGreaterThan(1);
    expect(await call('echo')).toMatchObject({ isError: false });
    await expect(call('meta')).rejects.toThrow(/'meta' is not among allowed_tools of the MCP server 's'/);
    const none = await open({ ...node(fixture), allowed_tools: [] });
    await expect(none.call('echo')).rejects.toMatchObject({ code: 'mcp_tool_not_allowed' });
  });

  it('lists every page, and not for ever', async () => {
    const { tools } = await open(node(fixture, 'pages'));
    expect(tools.map(({ definition }) => definition.function.name)).toEqual([
      's__t0',
      's__t1',
      's__t2',
      's__t3',
      's__t4',
    ]);
    await expect(open(node(fixture, 'circle'))).rejects.toThrow(/circle/);
  });

  it('is listed again when it says that its tools have changed', async () => {
    const { created, call } = await open(node(fixture));
    await call('change');
    const { tools } = await created.open({ mcp: ['s'] }, { signal });
    expect(tools.map(({ definition }) => definition.function.name)).toEqual(['s__echo', 's__fresh']);
  });

  it('tells the model about an answer with an error code', async () => {
    const { call } = await open(node(fixture));
    expect(await call('refuse')).toEqual({ text: expect.stringContaining('no such planet'), isError: true });
    expect(await call('echo')).toMatchObject({ isError: false });
  });

  it('shows its standard error to whoever wants to see it', async () => {
    const lines: string[] = [];
    await open(node(fixture), { onLog: (server, line) => lines.push(`${server}: ${line}`) });
    expect(lines).toContain('s: starting in mode good');
  });
});

describe('a server that misbehaves', () => {
  it('[tools.mcp-failures-bounded] dies at start: the error says how and shows what it printed', async () => {
    const error = await open(node(fixture, 'dies-at-start')).catch((thrown) => thrown);
    expect(messageChain(error)).toMatch(/MCP server 's' could not be started.*status 7.*no licence found/s);
  });

  it('is no program at all', async () => {
    const error = await open({ command: 'no-such-server-x' }).catch((thrown) => thrown);
    expect(messageChain(error)).toMatch(/'s' could not be started.*'no-such-server-x'.*PATH/);
  });

  it('hangs in initialize: ends with the startup timeout and its process with it', async () => {
    const log = logFile();
    const settings = { ...node(fixture, 'hangs-in-initialize', log.file), startup_timeout: 1 };
    const error = await open(settings).catch((thrown) => thrown);
    expect(error).toMatchObject({ category: 'timeout', message: expect.stringContaining("'s'") });
    expect(processesWith(log.file)).toEqual([]);
  });

  it('hangs in initialize: a cancelled run does not wait for it', async () => {
    const controller = new AbortController();
    const created = service({ s: node(fixture, 'hangs-in-initialize') });
    const opening = created.open({ mcp: ['s'] }, { signal: controller.signal });
    const reason = new CancelledError();
    setTimeout(() => controller.abort(reason), 50);
    await expect(opening).rejects.toBe(reason);
  });

  it('prints garbage where messages belong: is understood all the same', async () => {
    const lines: string[] = [];
    const { call } = await open(node(fixture, 'garbage'), { onLog: (_, line) => lines.push(line) });
    expect(await call('echo', { a: 1 })).toEqual({ text: '{"a":1}', isError: false });
    expect(lines.join('\n')).toContain('Welcome to the server!');
  });

  it('floods standard output without a line break: is stopped', async () => {
    const log = logFile();
    await expect(open(node(fixture, 'flood', log.file))).rejects.toMatchObject({ code: 'mcp_start_failed' });
    expect(processesWith(log.file)).toEqual([]);
  });

  it('speaks something else entirely: the error shows it', async () => {
    const error = await open({ command: 'echo', args: ['hello'] }).catch((thrown) => thrown);
    expect(messageChain(error)).toMatch(/no message: hello/);
  });

  it('dies in a call: fails the request, and the next call starts it anew', async () => {
    const log = logFile();
    const { call } = await open(node(fixture, 'good', log.file));
    const error = await call('die').catch((thrown) => thrown);
    expect(error.code).toBe('mcp_failed');
    expect(messageChain(error)).toMatch(/'s' failed in a call of 'die'.*status 9/);
    expect(await call('echo')).toMatchObject({ isError: false });
    expect((await log.lines()).filter((line) => line.startsWith('up'))).toHaveLength(2);
  });

  it('ends between two calls: the second one starts it anew', async () => {
    const log = logFile();
    const { call } = await open(node(fixture, 'good', log.file));
    const [server] = processesWith(log.file);
    expect(await call('quit')).toEqual({ text: 'bye', isError: false });
    // Its name is gone before its pipes are: what counts is that its end was taken note of.
    await until(() => !isThere(server!));
    expect(await call('echo')).toMatchObject({ isError: false });
  });

  it('does not answer a call: the timeout ends it and drops the connection', async () => {
    const log = logFile();
    const { call } = await open({ ...node(fixture, 'good', log.file), timeout: 1 });
    await expect(call('hang')).rejects.toMatchObject({ category: 'timeout' });
    expect(await call('echo')).toMatchObject({ isError: false });
    expect((await log.lines()).filter((line) => line.startsWith('up'))).toHaveLength(2);
    expect(await log.lines()).toContain('cancelled hang');
  });

  it('is told of a cancelled call, and keeps its connection', async () => {
    const log = logFile();
    const { created, call } = await open(node(fixture, 'good', log.file));
    const { tools } = await created.open({ mcp: ['s'] }, { signal });
    const controller = new AbortController();
    const reason = new CancelledError();
    const hanging = tools
      .find(({ definition }) => definition.function.name === 's__hang')!
      .call({}, { ...callContext, signal: controller.signal });
    const rejected = expect(hanging).rejects.toBe(reason);
    while (!(await log.lines()).includes('call hang'))
      await new Promise((resolve) => setTimeout(resolve, 10));
    controller.abort(reason);
    await rejected;
    expect(await call('echo')).toMatchObject({ isError: false });
    expect(await log.lines()).toContain('cancelled hang');
    expect((await log.lines()).filter((line) => line.startsWith('up'))).toHaveLength(1);
  });
});

describe('closing', () => {
  it.each([
    ['a server with children', 'children'],
    ['a server that ignores the end of its input and TERM', 'stubborn'],
  ])('[tools.mcp-no-orphans] ends %s', async (_, mode) => {
    const mark = uniqueSleep();
    const { created } = await open(
      node(fixture, mode, mode === 'children' ? mark : path.join(directory, mark)),
    );
    expect(processesWith(mark).length).toBeGreaterThan(0);
    await created.close();
    expect(processesWith(mark)).toEqual([]);
  });

  it('ends a server behind a wrapper, and one that is still starting', async () => {
    const mark = uniqueSleep();
    const wrapped: McpServerSettings = {
      command: 'sh',
      args: [
        '-c',
        `"$@"; : ${mark}`,
        'sh',
        process.execPath,
        fixture,
        'stubborn',
        path.join(directory, mark),
      ],
    };
    const { created } = await open(wrapped);
    await created.close();
    const starting = service({ s: node(fixture, 'hangs-in-initialize', path.join(directory, mark)) });
    const opening = starting.open({ mcp: ['s'] }, { signal });
    const rejected = expect(opening).rejects.toThrow();
    await until(() => processesWith(mark).length > 0);
    await starting.close();
    await rejected;
    expect(processesWith(mark)).toEqual([]);
  });

  it('costs nothing when nothing was started', async () => {
    await service({ s: node(fixture, 'dies-at-start') }).close();
  });
});
