import { existsSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { directoryWith, lait } from '../cli/run-lait.js';
import { type Answer, json, type ModelServer, says, startModelServer } from '../models/model-server.js';

/** A model that goes on looking and says what number its reply is. */
function looks(name = 'tool__look'): Answer {
  let count = 0;
  return (response, request) => {
    count += 1;
    const call = { id: `c${count}`, type: 'function', function: { name, arguments: '{}' } };
    return says({ content: `見る ${count}`, tool_calls: [call] })(response, request);
  };
}

/** The same until it was shown so many results, then an answer. */
function answersAfter(results: number): Answer {
  const look = looks();
  return (response, request) =>
    (shownResults(request.body) >= results ? says('答え 🎉') : look)(response, request);
}

const messagesOf = (body: unknown) => (body as { messages: { role: string; content: string }[] }).messages;
const shownResults = (body: unknown) => messagesOf(body).filter(({ role }) => role === 'tool').length;
const resultsShown = ({ requests }: ModelServer) => requests.map(({ body }) => shownResults(body));

const work = (rounds = 3, more = '') => `steps:
  - id: first
    run: [sh, -c, 'echo first >> log; cat']
  - id: work
    prompt: "find {{ input }}"
    tools: [look]
    max_tool_rounds: ${rounds}
${more}  - jq: '{found: .}'
`;

function files(server: ModelServer, workflow = work(), { config = '', results = 'wc -l < log' } = {}) {
  return directoryWith({
    'w.yml': workflow,
    'lait.config.yml': `base_url: "${server.baseUrl}"\ndefault: { model: mm }\n${config}tools:\n  look: { command: [sh, -c, 'echo look >> log; ${results}'] }\n`,
  });
}

const logged = (directory: string, what: string) =>
  existsSync(join(directory, 'log'))
    ? readFileSync(join(directory, 'log'), 'utf8')
        .split('\n')
        .filter((line) => line === what).length
    : 0;

function record(directory: string) {
  const [name] = readdirSync(join(directory, '.lait', 'runs'));
  return JSON.parse(readFileSync(join(directory, '.lait', 'runs', name!), 'utf8'));
}

const run = (directory: string, ...more: string[]) => lait(directory, ['run', 'w.yml', ...more]);
const resume = (directory: string, ...more: string[]) => run(directory, '--resume', 'latest', ...more);

describe('[runs.resume-conversation] a step that ran out of tool rounds', () => {
  it('goes on in its conversation: what was called is not called again', async () => {
    const server = await startModelServer(looks());
    const directory = files(server);
    const stopped = await run(directory, '苔', '--checkpoint');
    expect([stopped.code, stopped.stdout, logged(directory, 'look')]).toEqual([1, '', 3]);
    expect(stopped.stderr).toContain("note: the conversation of 'work' is kept");
    expect(record(directory)).toMatchObject({ completed_index: 0, conversation: { step: 'work' } });
    expect(resultsShown(server)).toEqual([0, 1, 2, 3]);

    const shown = await lait(directory, ['runs', 'show', 'latest']);
    expect(shown.stdout).toMatch(/conversation: +7 messages of 'work'\nlast said: +見る 3\n/);

    const again = await resume(directory, '--max-tool-rounds', '2');
    expect([again.code, logged(directory, 'look'), logged(directory, 'first')]).toEqual([1, 5, 1]);
    expect(again.stderr).toContain('note: going on with the conversation that was kept, 7 messages');
    expect(again.stderr).toContain('after 2 exchanges');
    expect(resultsShown(server).slice(4)).toEqual([3, 4, 5]);
    const [begun, went] = [server.requests[3]!.body, server.requests[4]!.body].map(messagesOf);
    expect(went).toEqual(begun);
    expect(went![0]).toEqual({ role: 'user', content: 'find 苔' });
  });

  it('ends with the answer; the limit is that of the step, also one that was raised in the file', async () => {
    const server = await startModelServer(answersAfter(8));
    const directory = files(server);
    expect((await run(directory, '苔', '--checkpoint')).code).toBe(1);
    expect((await resume(directory)).code).toBe(1);
    expect(logged(directory, 'look')).toBe(6);
    writeFileSync(join(directory, 'w.yml'), work(20));
    const ended = await resume(directory);
    expect([ended.code, JSON.parse(ended.stdout)]).toEqual([0, { found: '答え 🎉' }]);
    expect([logged(directory, 'look'), logged(directory, 'first')]).toEqual([8, 1]);
    expect(record(directory).conversation).toBeUndefined();
  });

  it('keeps the conversation when the resume fails in another way', async () => {
    const answer = answersAfter(4);
    let down = false;
    const server = await startModelServer((response, request) =>
      (down ? json({ error: { message: 'down' } }, 400) : answer)(response, request),
    );
    const directory = files(server);
    await run(directory, '苔', '--checkpoint');
    down = true;
    const failed = await resume(directory);
    expect([failed.code, failed.stderr.match(/is kept/g)]).toEqual([4, ['is kept']]);
    down = false;
    expect(JSON.parse((await resume(directory)).stdout)).toEqual({ found: '答え 🎉' });
    expect(logged(directory, 'look')).toBe(4);
  });

  it('begins again, and says so, when it is asked something else, and with --from', async () => {
    const server = await startModelServer(answersAfter(4));
    const directory = files(
      server,
      work()
        .replace('{{ input }}', '{{ input }} {{ inputs.what }}')
        .replace('steps:', 'inputs: { what: { default: moss } }\nsteps:'),
    );
    await run(directory, '苔', '--checkpoint');
    const from = await run(directory, '--from', 'work');
    expect([from.code, from.stderr.includes('going on with')]).toEqual([1, false]);
    expect(resultsShown(server)).toEqual([0, 1, 2, 3, 0, 1, 2, 3]);
    const other = await resume(directory, '--input', 'what=fern');
    expect([other.code, logged(directory, 'look')]).toEqual([1, 9]);
    expect(other.stderr).toContain('note: what the step asks has changed since its conversation was kept');
    expect(messagesOf(server.requests[8]!.body)).toEqual([{ role: 'user', content: 'find 苔 fern' }]);
  });

  it('a second try of the step calls its tools again, and one that is handled keeps nothing', async () => {
    const server = await startModelServer(answersAfter(9));
    const retried = files(server, work(3, '    retry: { max_attempts: 2 }\n'));
    expect((await run(retried, '苔', '--checkpoint')).code).toBe(1);
    expect(resultsShown(server)).toEqual([0, 1, 2, 3, 0, 1, 2, 3]);
    expect(record(retried).conversation.messages).toHaveLength(7);
    const handled = files(server, work(3, '    on_error:\n      - jq: \'"given up"\'\n'));
    expect(JSON.parse((await run(handled, '苔', '--checkpoint')).stdout)).toEqual({ found: 'given up' });
    expect(record(handled).conversation).toBeUndefined();
  });

  it('inside a control step it begins again with that step', async () => {
    const server = await startModelServer(looks());
    const workflow = work()
      .replace('  - id: work', '  - group:\n    - id: work')
      .replace(/^ {4}(prompt|tools|max)/gm, '      $1');
    const directory = files(server, workflow);
    const stopped = await run(directory, '苔', '--checkpoint');
    expect([stopped.code, stopped.stderr.includes('is kept')]).toEqual([1, false]);
    const refused = await resume(directory, '--max-tool-rounds', '2', '--json');
    expect([refused.code, JSON.parse(refused.stdout).error.code]).toEqual([2, 'conversation_not_kept']);
    await resume(directory);
    expect(resultsShown(server)).toEqual([0, 1, 2, 3, 0, 1, 2, 3]);
  });

  it('the conversation of an agent goes on as well', async () => {
    const server = await startModelServer(answersAfter(5));
    const directory = files(
      server,
      'agents: { finder: { system: "Find.", tools: [look], max_tool_rounds: 3 } }\nsteps:\n  - agent: finder\n',
    );
    await run(directory, '苔', '--checkpoint');
    expect(await resume(directory)).toMatchObject({ code: 0, stdout: '答え 🎉\n' });
    expect([logged(directory, 'look'), server.requests.length]).toEqual([5, 7]);
    expect(messagesOf(server.requests[4]!.body)[0]).toEqual({ role: 'system', content: 'Find.' });
  });

  it('an agent of the dynamic form goes on as well', async () => {
    const server = await startModelServer(answersAfter(5));
    const directory = files(server, '', { config: 'agents: { finder: finder.md }\n' });
    writeFileSync(join(directory, 'finder.md'), '---\ntools: [look]\nmax_tool_rounds: 3\n---\nFind.\n');
    const text = (name: string) => ({
      type: 'object',
      properties: { [name]: { type: 'string' } },
      required: [name],
    });
    const graph = [{ type: 'agent', id: 'find', agentId: 'finder' }];
    const definition = { id: 'd', inputSchema: text('prompt'), outputSchema: text('text'), graph };
    writeFileSync(join(directory, 'd.json'), JSON.stringify(definition));
    const input = ['--input-json', '{"prompt":"苔"}'];
    const stopped = await lait(directory, ['run', 'd.json', ...input, '--checkpoint']);
    expect([stopped.code, stopped.stderr]).toEqual([1, expect.stringContaining("'find' is kept")]);
    const ended = await lait(directory, ['run', 'd.json', '--resume', 'latest']);
    expect([JSON.parse(ended.stdout), logged(directory, 'look')]).toEqual([{ text: '答え 🎉' }, 5]);
  });

  it('the rest of a cut result can still be read', async () => {
    const look = looks();
    const read: Answer = (response, request) => {
      const [, id] = /call_id "(c\d+)"/.exec(
        messagesOf(request.body).find(({ role }) => role === 'tool')!.content,
      )!;
      const text = JSON.stringify({ call_id: id, offset: 1990, length: 5 });
      const call = { id: 'r', type: 'function', function: { name: 'tool_result__read', arguments: text } };
      return says({ tool_calls: [call] })(response, request);
    };
    const server = await startModelServer(look, look, read, (response, request) =>
      says(messagesOf(request.body).at(-1)!.content)(response, request),
    );
    const directory = files(server, work(1), {
      results: 'seq -s, 1 1000',
      config: 'max_tool_result_bytes: 2000\n',
    });
    await run(directory, '苔', '--checkpoint');
    const ended = await resume(directory);
    const numbers = Array.from({ length: 1000 }, (_, index) => index + 1).join(',');
    expect(JSON.parse(ended.stdout).found).toContain(numbers.slice(1990, 1995));
  });

  it('known secrets stay out of the record and come back from their variables', async () => {
    const server = await startModelServer(answersAfter(4));
    const directory = files(server, work(), {
      config: 'models: { other: [{ model_id: x, provider: { api_key: "${MOSS_KEY}" } }] }\n',
    });
    const env = { MOSS_KEY: 'sk-moss-0123456789' };
    await lait(directory, ['run', 'w.yml', env.MOSS_KEY, '--checkpoint'], { env });
    const [name] = readdirSync(join(directory, '.lait', 'runs'));
    const text = readFileSync(join(directory, '.lait', 'runs', name!), 'utf8');
    expect(text).toContain('見る');
    expect(text).not.toContain(env.MOSS_KEY);
    expect(messagesOf(server.requests[3]!.body)[0]!.content).toBe(`find ${env.MOSS_KEY}`);
    const ended = await lait(directory, ['run', 'w.yml', '--resume', 'latest'], { env });
    expect(JSON.parse(ended.stdout)).toEqual({ found: '答え 🎉' });
    expect(logged(directory, 'look')).toBe(4);
  });

  it('--max-tool-rounds goes with --resume, and a damaged conversation is refused', async () => {
    const server = await startModelServer(looks());
    const directory = files(server);
    for (const flags of [
      ['x', '--max-tool-rounds', '2'],
      ['--from', 'work', '--max-tool-rounds', '2'],
    ])
      expect(await run(directory, ...flags)).toMatchObject({ code: 2, stdout: '' });
    expect((await run(directory, 'x', '--checkpoint', '--max-tool-rounds', '0')).code).toBe(2);
    expect(server.requests).toHaveLength(0);
    await run(directory, '苔', '--checkpoint');
    const [name] = readdirSync(join(directory, '.lait', 'runs'));
    const path = join(directory, '.lait', 'runs', name!);
    const whole = JSON.parse(readFileSync(path, 'utf8'));
    for (const conversation of [
      1,
      [],
      {},
      { step: 'work', messages: [{ role: 'system' }], cut_results: {} },
    ]) {
      writeFileSync(path, JSON.stringify({ ...whole, conversation }));
      const refused = await resume(directory);
      expect([refused.code, refused.stderr]).toEqual([1, expect.stringContaining('conversation')]);
    }
    expect(server.requests).toHaveLength(4);
  });
});
