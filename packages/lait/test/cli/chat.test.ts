import { spawn, spawnSync } from 'node:child_process';
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { describe, expect, it } from 'vitest';
import {
  type Answer,
  delta,
  json,
  type ModelServer,
  says,
  startModelServer,
  streams,
} from '../models/model-server.js';
import { directoryWith, lait, until } from './run-lait.js';

const config = (server: ModelServer, more = '') =>
  `base_url: "${server.baseUrl}"\ndefault: { model: mm, temperature: 0.3, system: "be kind" }\n${more}`;

const tool = 'tools: { look: { command: [echo, seen], parameters: { type: object } } }\n';

function asksFor(name: string, content: string | null = null): Answer {
  return says({
    content,
    tool_calls: [{ id: `c${Math.random()}`, type: 'function', function: { name, arguments: '{}' } }],
  });
}

describe('a request of the command line', () => {
  it('[chat.request] is sent by `lait "prompt"` and by `lait chat`, with what the flags say', async () => {
    const server = await startModelServer(says('緑 👋'));
    const directory = directoryWith({ 'lait.config.yml': config(server), 'notes.txt': 'N' });
    const first = await lait(directory, ['What colour is 苔?', '--model', 'other', '--file', 'notes.txt'], {
      stdin: 'piped\n',
    });
    expect(first).toMatchObject({ code: 0, stdout: '緑 👋\n', stderr: '' });
    expect(server.requests[0]!.body).toMatchObject({
      model: 'other',
      temperature: 0.3,
      messages: [
        { role: 'system', content: 'be kind' },
        { role: 'user', content: 'What colour is 苔?\n\npiped\n\n```notes.txt\nN\n```' },
      ],
    });
    await lait(directory, [
      'chat',
      'in',
      'words',
      '--system',
      'terse',
      '--temperature',
      '0',
      '--max-tokens',
      '9',
    ]);
    expect(server.requests[1]!.body).toMatchObject({
      temperature: 0,
      max_completion_tokens: 9,
      messages: [{ content: 'terse' }, { content: 'in words' }],
    });
    await lait(directory, ['--model', 'm3', 'flags first']);
    expect(server.requests[2]!.body).toMatchObject({
      model: 'm3',
      messages: [{}, { content: 'flags first' }],
    });
  });

  it('a file that a flag names and that is not there is a wrong call', async () => {
    const server = await startModelServer(says('never'));
    const directory = directoryWith({ 'lait.config.yml': config(server), 'notes.txt': 'N' });
    for (const flag of ['--file', '--image', '--output-schema']) {
      const { code, stdout, stderr } = await lait(directory, [
        'chat',
        'hi',
        '--file',
        'notes.txt',
        flag,
        'gone',
      ]);
      expect([code, stdout, stderr]).toEqual([2, '', 'lait: cannot read gone: no such file\n']);
    }
    expect(server.requests).toEqual([]);
  });

  it('is refused when it looks like a mistyped command, and when there is nothing to say', async () => {
    const server = await startModelServer(says('x'));
    const directory = directoryWith({ 'lait.config.yml': config(server) });
    expect(await lait(directory, ['rnu', 'w.yml'])).toMatchObject({
      code: 2,
      stderr: expect.stringContaining("did you mean 'run'?"),
    });
    expect(await lait(directory, ['chat'])).toMatchObject({ code: 2, stdout: '' });
    expect(await lait(directory, ['chat', 'x', '--temperature', '3'])).toMatchObject({ code: 2 });
    expect(await lait(directory, ['chat', 'x', '--record', 'a', '--replay', 'b'])).toMatchObject({ code: 2 });
    expect(server.requests).toHaveLength(0);
  });

  it('[chat.json] gives one JSON document with --json, also when it fails', async () => {
    const server = await startModelServer(
      says({
        content: '{"city":"東京"}',
        reasoning: 'easy',
        usage: { prompt_tokens: 3, completion_tokens: 2, total_tokens: 5 },
      }),
      json({ error: { message: 'no such model' } }, 404),
    );
    const directory = directoryWith({
      'lait.config.yml': config(server),
      'city.json': '{"type":"object","required":["city"]}',
    });
    const good = await lait(directory, [
      'chat',
      'which?',
      '--json',
      '--output-schema',
      'city.json',
      '--show-usage',
    ]);
    expect(JSON.parse(good.stdout)).toEqual({
      content: '{"city":"東京"}',
      reasoning: 'easy',
      usage: expect.objectContaining({ total_tokens: 5 }),
    });
    expect(server.requests[0]!.body).toMatchObject({
      response_format: { json_schema: { schema: { required: ['city'] } } },
    });
    expect(good.stderr).toContain('usage:');
    const bad = await lait(directory, ['chat', 'which?', '--json']);
    expect(bad.code).toBe(4);
    expect(JSON.parse(bad.stdout)).toMatchObject({ content: null, error: { category: 'model' } });
    expect(bad.stderr).toMatch(/^lait: [^\n]*no such model[^\n]*\n$/);
  });

  it('shows a streamed answer once', async () => {
    const server = await startModelServer(
      streams(delta({ content: '緑' }), delta({ content: ' 👋' }, 'stop'), 'data: [DONE]\n\n'),
    );
    const directory = directoryWith({ 'lait.config.yml': config(server) });
    expect(await lait(directory, ['chat', 'x', '--stream'])).toMatchObject({ code: 0, stdout: '緑 👋\n' });
    expect(server.requests[0]!.body).toMatchObject({ stream: true });
  });

  it('streams each reply on lines of its own, and nothing of what a subagent says', async () => {
    const asked = { index: 0, id: 'c1', function: { name: 'agent__helper', arguments: '{"input":"x"}' } };
    const reply = (text: string) => streams(delta({ content: text }, 'stop'), 'data: [DONE]\n\n');
    const server = await startModelServer(
      streams(delta({ content: 'asking' }), delta({ tool_calls: [asked] }, 'tool_calls'), 'data: [DONE]\n\n'),
      reply('of the subagent'),
      reply('done'),
    );
    const directory = directoryWith({
      'lait.config.yml': config(server, 'agents: { helper: h.md }\n'),
      'h.md': '---\nname: helper\n---\nhelp\n',
    });
    expect(await lait(directory, ['chat', 'x', '--stream', '--subagents', 'helper'])).toMatchObject({
      code: 0,
      stdout: 'asking\ndone\n',
    });
    expect(server.requests[2]!.text).toContain('of the subagent');
  });

  it('[chat.keys-stay-home] takes the key of the flag, then of the environment, and sends none elsewhere', async () => {
    const [server, other] = [await startModelServer(says('x')), await startModelServer(says('y'))];
    const directory = directoryWith({
      'lait.config.yml': config(
        server,
        `api_key: top-level-key\nmodels: { own: [ { provider: { base_url: "${other.baseUrl}", api_key: own-alias-key }, model_id: o } ] }\n`,
      ),
    });
    const keys = (seen: ModelServer) => seen.requests.map(({ headers }) => headers.authorization);
    await lait(directory, ['chat', 'x']);
    await lait(directory, ['chat', 'x'], { env: { OPENAI_API_KEY: 'environment-key' } });
    await lait(directory, ['chat', 'x', '--api-key', 'flag-key-1'], {
      env: { OPENAI_API_KEY: 'environment-key' },
    });
    expect(keys(server)).toEqual(['Bearer top-level-key', 'Bearer environment-key', 'Bearer flag-key-1']);
    await lait(directory, ['chat', 'x', '--model', 'own'], { env: { OPENAI_API_KEY: 'environment-key' } });
    expect(keys(other)).toEqual(['Bearer own-alias-key']);
    await lait(directory, ['chat', 'x', '--model', 'own', '--base-url', server.baseUrl]);
    await lait(directory, ['chat', 'x', '--base-url', other.baseUrl]);
    expect([keys(server)[3], keys(other)[1]]).toEqual([
      expect.not.stringContaining('own-alias-key'),
      expect.not.stringContaining('top-level-key'),
    ]);
  });

  it('[chat.cache] is answered from the cache with --cache, says why under -v, and the cache can be cleared', async () => {
    const server = await startModelServer(says('x'));
    const directory = directoryWith({ 'lait.config.yml': config(server) });
    const env = { XDG_CACHE_HOME: join(directory, 'cache') };
    const miss = await lait(directory, ['chat', 'q', '--cache', '-v'], { env });
    expect(miss.stderr).toContain('cache miss');
    const hit = await lait(directory, ['chat', 'q', '--cache', '-v'], { env });
    expect([hit.stdout, hit.stderr]).toEqual(['x\n', expect.stringContaining('cache hit')]);
    const other = await lait(directory, ['chat', 'q', '--cache', '-v', '--temperature', '1'], { env });
    expect(other.stderr).toContain('differs in temperature');
    await lait(directory, ['chat', 'q', '--no-cache'], { env });
    expect(server.requests).toHaveLength(3);
    expect(await lait(directory, ['cache', 'clear'], { env })).toMatchObject({
      code: 0,
      stdout: 'removed 2 cached replies\n',
    });
    expect(JSON.parse((await lait(directory, ['cache', 'clear', '--json'], { env })).stdout)).toMatchObject({
      removed: 0,
    });
    expect(await lait(directory, ['cache'], { env })).toMatchObject({
      code: 2,
      stdout: '',
      stderr: expect.stringMatching(/^Usage: lait cache[\s\S]*clear/),
    });
    expect(await lait(directory, ['chat', 'q', '--cache', '--no-cache'], { env })).toMatchObject({ code: 2 });
  });

  it('[chat.rounds-kept] keeps the conversation when the model runs out of tool rounds, and goes on from there', async () => {
    const server = await startModelServer(asksFor('tool__look', 'looking'));
    const directory = directoryWith({ 'lait.config.yml': config(server, tool) });
    const limited = ['chat', '--tools', 'look', '--max-tool-rounds'];
    const stopped = await lait(directory, [...limited, '3', 'find it']);
    expect(stopped).toMatchObject({ code: 1, stdout: 'looking\n' });
    expect(stopped.stderr).toMatch(
      /^note: the conversation is kept in (\S+);[^\n]*\nlait: the model still asks for tools after 3/m,
    );
    const kept = /kept in (\S+);/.exec(stopped.stderr)![1]!;
    const results = () =>
      JSON.parse(readFileSync(join(directory, kept), 'utf8')).messages.filter(
        ({ role }: { role: string }) => role === 'tool',
      ).length;
    expect(results()).toBe(3);

    const again = await lait(directory, [...limited, '2', '--session', kept, '--json']);
    expect(again.code).toBe(1);
    expect(JSON.parse(again.stdout)).toMatchObject({
      content: 'looking',
      error: { code: 'tool_rounds_exhausted', details: { max_tool_rounds: 2 } },
    });
    expect(results()).toBe(5);
    expect(readdirSync(join(directory, '.lait/sessions'))).toHaveLength(1);
  });

  it('[chat.session] carries a conversation from command to command', async () => {
    const server = await startModelServer(says('one'), says('two'));
    const directory = directoryWith({ 'lait.config.yml': config(server), 'other.json': '{"a":1}' });
    await lait(directory, ['chat', 'first', '--session', 's.json']);
    await lait(directory, ['chat', 'second', '--session', 's.json']);
    expect(server.requests[1]!.body.messages).toMatchObject([
      { role: 'system' },
      { content: 'first' },
      { content: 'one' },
      { content: 'second' },
    ]);
    const wrong = await lait(directory, ['chat', 'x', '--session', 'other.json']);
    expect(wrong).toMatchObject({ code: 2, stderr: expect.stringContaining('no session file') });
    expect(readFileSync(join(directory, 'other.json'), 'utf8')).toBe('{"a":1}');
  });

  it('[chat.mistakes-survived] survives an unknown tool and wrong arguments', async () => {
    const server = await startModelServer(asksFor('nope'), asksFor('tool__look'), says('fine'));
    const directory = directoryWith({ 'lait.config.yml': config(server, tool) });
    const { code, stdout, stderr } = await lait(directory, ['chat', 'x', '--tools', 'look', '-v']);
    expect([code, stdout]).toEqual([0, 'fine\n']);
    expect(stderr).toContain('calls tool__look');
    expect(server.requests[1]!.text).toContain("there is no tool named 'nope'");
  });
});

describe('lait agent run', () => {
  const agent =
    '---\nname: botanist\ninput_schema: { type: object, required: [topic] }\ntemperature: 0.9\n---\nTopic: {{ input.topic }}\n';

  it('[chat.agent] finds the file before the name, checks the input and sends it word for word', async () => {
    const server = await startModelServer(says('green'));
    const directory = directoryWith({
      'lait.config.yml': config(server, 'agents: { botanist: agents/b.md }\n'),
      'agents/b.md': agent,
    });
    const argument = '{ "topic" :  "苔" }';
    const { code, stdout, stderr } = await lait(directory, ['agent', 'run', 'botanist', argument]);
    expect([code, stdout, stderr]).toEqual([0, 'green\n', expect.stringContaining('agents/b.md')]);
    expect(server.requests[0]!.body).toMatchObject({
      model: 'mm',
      temperature: 0.9,
      messages: [
        { role: 'system', content: 'Topic: 苔' },
        { role: 'user', content: argument },
      ],
    });
    const wrong = await lait(directory, ['agent', 'run', 'agents/b.md', '{"subject":1}', '--json']);
    expect(wrong.code).toBe(1);
    expect(JSON.parse(wrong.stdout)).toMatchObject({ error: { code: 'input_invalid' } });
    expect(await lait(directory, ['agent', 'run', 'botanits', 'x'])).toMatchObject({
      code: 2,
      stderr: expect.stringContaining("did you mean 'botanist'?"),
    });
    expect(await lait(directory, ['agent', 'run', 'botanist'])).toMatchObject({ code: 2 });
    expect(server.requests).toHaveLength(1);
  });

  it('is completed with its flags and with registered names', async () => {
    const directory = directoryWith({
      'lait.config.yml': `${tool}agents: { botanist: b.md }\nmcp_servers: { files: { command: x } }\n`,
    });
    const propose = async (...words: string[]) =>
      (await lait(directory, ['__complete', '--', ...words])).stdout.split('\n').slice(0, -1);
    expect(await propose('agent', 'r')).toEqual(['run']);
    expect(await propose('agent', 'run', '--mod')).toEqual(['--model']);
    expect(await propose('agent', 'run', '')).toEqual(['botanist', ':files']);
    expect(await propose('chat', '--tools', '')).toEqual(['look']);
    expect(await propose('chat', 'x', '--mcp', 'f')).toEqual(['files']);
  });

  it('shows the places of problems in the file', async () => {
    const directory = directoryWith({ 'a.md': '---\ntempratur: 1\n---\nx\n' });
    expect(await lait(directory, ['agent', 'run', 'a.md', 'x'])).toMatchObject({
      code: 3,
      stderr: expect.stringContaining('a.md:2:1'),
    });
  });
});

const hasTerminal = spawnSync('script', ['--version']).status === 0;

describe.skipIf(!hasTerminal)('an interactive session', () => {
  const launcher = fileURLToPath(new URL('../../bin/lait.js', import.meta.url));

  it('[chat.interactive] remembers, survives a failed turn, asks before tools, and ends with Ctrl-D', async () => {
    const server = await startModelServer(
      says('one'),
      json({ error: { message: 'lost it' } }, 400),
      asksFor('tool__look'),
      says('three'),
    );
    const directory = directoryWith({ 'lait.config.yml': config(server, tool), 'notes.txt': 'N' });
    const command = `${process.execPath} ${launcher} chat --no-stream --tools look --approve-tools --file notes.txt`;
    const child = spawn('script', ['-qefc', command, '/dev/null'], {
      cwd: directory,
      env: { PATH: process.env.PATH, HOME: directory, TERM: 'dumb', LAIT_TRUST: '1' },
    });
    let shown = '';
    child.stdout.setEncoding('utf8').on('data', (text: string) => {
      shown += text;
    });
    const ended = new Promise((resolve) => child.on('close', resolve));
    const type = async (text: string, then: () => boolean) => {
      child.stdin.write(text);
      await until(then);
    };
    await until(() => shown.includes('> '));
    await type('hello\r', () => shown.includes('one'));
    await type('again\r', () => shown.includes('lost it'));
    await type('third \\\r', () => shown.includes('… '));
    await type('line\r', () => shown.includes('allow?'));
    await type('y\r', () => shown.includes('three'));
    child.stdin.write('\u0004');
    expect(await ended).toBe(0);
    expect(server.requests.at(-1)!.body.messages).toMatchObject([
      { role: 'system' },
      { content: 'hello\n\n```notes.txt\nN\n```' },
      { content: 'one' },
      { content: 'third \nline' },
      { role: 'assistant' },
      { role: 'tool', content: expect.stringContaining('seen') },
    ]);
    expect(existsSync(join(directory, '.lait'))).toBe(false);
  });
});
