import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { type Call, calls, json, says, startModelServer } from '../models/model-server.js';
import { compute } from '../support/plans.js';
import { messagesOf, run, temporaryDirectory, text } from './model-plan.js';

const echo = {
  command: ['echo', 'said {{ input.text }}'],
  parameters: { type: 'object', properties: { text: { type: 'string' } }, required: ['text'] },
};
const prompt = (fields: object = {}) => [
  { kind: 'prompt', id: 'talk', fields: { prompt: text('go'), tools: ['echo'], ...fields } },
];

describe('a conversation with tools', () => {
  it('answers each call and ends with the text of the model', async () => {
    const server = await startModelServer(calls(['tool__echo', { text: 'やあ 👋' }]), says('done'));
    const { value, events } = await run(prompt(), { server, tools: { tools: { echo } } });
    expect(value).toBe('done');
    expect(server.requests[0]!.body.tools).toMatchObject([{ function: { name: 'tool__echo' } }]);
    expect(messagesOf(server, 1)).toEqual([
      { role: 'user', content: 'go' },
      {
        role: 'assistant',
        content: null,
        tool_calls: [
          { id: 'c1', type: 'function', function: { name: 'tool__echo', arguments: '{"text":"やあ 👋"}' } },
        ],
      },
      { role: 'tool', tool_call_id: 'c1', content: expect.stringContaining('said やあ 👋') },
    ]);
    const seen = events.map(({ type }) => type).filter((type) => /^(model|tool|step)\./.test(type));
    expect(seen).toEqual([
      'step.started',
      'model.requested',
      'model.responded',
      'tool.called',
      'tool.completed',
      'model.requested',
      'model.responded',
      'step.completed',
    ]);
    expect(events.find(({ type }) => type === 'tool.completed')).toMatchObject({
      label: 'talk',
      tool: 'tool__echo',
      callId: 'c1',
      round: 1,
      decision: 'allowed',
      isError: false,
    });
  });

  it('[conversation.call-order] answers in the order of the calls whatever their pace', async () => {
    const server = await startModelServer(
      calls(['tool__slow', {}], ['tool__fast', {}], ['tool__slow', {}, 'c9']),
      says('ok'),
    );
    const tools = {
      slow: { command: ['sh', '-c', 'sleep 0.2; echo slow'] },
      fast: { command: ['echo', 'fast'] },
    };
    await run(prompt({ tools: ['slow', 'fast'] }), { server, tools: { tools } });
    expect(messagesOf(server, 1).slice(2)).toMatchObject([
      { tool_call_id: 'c1', content: expect.stringContaining('slow') },
      { tool_call_id: 'c2', content: expect.stringContaining('fast') },
      { tool_call_id: 'c9', content: expect.stringContaining('slow') },
    ]);
  });

  it('runs at most eight calls at once', async () => {
    const directory = await temporaryDirectory();
    const many = Array.from({ length: 20 }, (_, index): Call => ['tool__count', {}, `c${index}`]);
    const server = await startModelServer(calls(...many), says('ok'));
    const script = 'echo + >> log; sleep 0.1; echo - >> log';
    const count = { command: ['sh', '-c', script], cwd: directory };
    await run(prompt({ tools: ['count'] }), { server, tools: { tools: { count } } });
    const log = (await readFile(join(directory, 'log'), 'utf8')).trim().split('\n');
    let open = 0;
    const peaks = log.map((sign) => (open += sign === '+' ? 1 : -1));
    expect(log).toHaveLength(40);
    expect(Math.max(...peaks)).toBeLessThanOrEqual(8);
    expect(Math.max(...peaks)).toBeGreaterThan(1);
  });

  it('runs in fifty branches at once, a tool call in each, without a warning of the platform', async () => {
    const warnings: Error[] = [];
    const onWarning = (warning: Error) => warnings.push(warning);
    process.on('warning', onWarning);
    const server = await startModelServer((response, request) => {
      const called = request.text.includes('"role":"tool"');
      (called ? says('done') : calls(['tool__echo', { text: 'x' }]))(response, request);
    });
    const branch = {
      kind: 'prompt',
      path: 'steps[0].for_each.steps[0]',
      label: 'b',
      fields: { prompt: text('go'), tools: ['echo'] },
    };
    const fields = {
      for_each: compute(() => Array.from({ length: 100 }, (_, index) => index)),
      max_concurrency: 50,
      steps: { path: 'steps[0].for_each.steps', nodes: [branch] },
    };
    const { value } = await run([{ kind: 'for_each', fields }], { server, tools: { tools: { echo } } });
    expect(value).toEqual(Array.from({ length: 100 }, () => 'done'));
    expect(server.requests).toHaveLength(200);
    await new Promise((resolve) => setImmediate(resolve));
    process.off('warning', onWarning);
    expect(warnings).toEqual([]);
  });

  it('asks for the format only in one last request without tools', async () => {
    const server = await startModelServer(
      calls(['tool__echo', { text: 'x' }]),
      says('a free answer'),
      says('{"a":"final"}'),
    );
    const output_schema = {
      body: { type: 'object', properties: { a: { type: 'string' } }, required: ['a'] },
    };
    const { value } = await run(prompt({ output_schema }), { server, tools: { tools: { echo } } });
    expect(value).toEqual({ a: 'final' });
    const shapes = server.requests.map(({ body }) => [
      body.tools !== undefined,
      body.response_format !== undefined,
    ]);
    expect(shapes).toEqual([
      [true, false],
      [true, false],
      [false, true],
    ]);
  });

  it('[conversation.rounds-limited] makes at most max_tool_rounds exchanges and keeps what was produced', async () => {
    const server = await startModelServer(
      says({
        content: 'まだ途中',
        tool_calls: [
          { id: 'c', type: 'function', function: { name: 'tool__echo', arguments: '{"text":"x"}' } },
        ],
      }),
    );
    const { error } = await run(prompt({ max_tool_rounds: 2 }), { server, tools: { tools: { echo } } });
    expect(server.requests).toHaveLength(3);
    expect(error).toMatchObject({
      code: 'tool_rounds_exhausted',
      details: { text: 'まだ途中', max_tool_rounds: 2 },
    });
    expect((error.details as { transcript: unknown[] }).transcript).toHaveLength(5);
    expect((error.cause as Error).message).toContain('max_tool_rounds');
  });

  it('allows eight exchanges when nothing else is set', async () => {
    const server = await startModelServer(calls(['tool__echo', { text: 'x' }]));
    await run(prompt(), { server, tools: { tools: { echo } } });
    expect(server.requests).toHaveLength(9);
  });

  it('[conversation.mistakes-told] tells the model about unknown tools and malformed arguments once', async () => {
    const server = await startModelServer(
      calls(
        ['nope', {}],
        ['tool__echo', '{"text": '],
        ['tool__echo', '[1]'],
        ['tool__echo', { text: 'fine' }],
      ),
      calls(['tool__echo', { text: 1 }]),
      says('done'),
    );
    const { value, events } = await run(prompt(), { server, tools: { tools: { echo } } });
    expect(value).toBe('done');
    const told = events.flatMap((event) =>
      event.type === 'tool.completed' ? [[event.tool, event.decision, event.isError]] : [],
    );
    expect(told).toEqual([
      ['nope', 'invalid', true],
      ['tool__echo', 'invalid', true],
      ['tool__echo', 'invalid', true],
      ['tool__echo', 'allowed', false],
      ['tool__echo', 'allowed', true],
    ]);
    const answers = messagesOf(server, 1)
      .slice(2)
      .map(({ content }) => content);
    expect(answers).toEqual([
      expect.stringMatching(/no tool named 'nope'.*tool__echo/),
      expect.stringContaining('not JSON'),
      expect.stringContaining('must be a JSON object'),
      expect.stringContaining('said fine'),
    ]);
    expect(messagesOf(server, 2).at(-1)!.content).toMatch(/text/);
  });

  it('fails when the model makes the mistake again', async () => {
    const server = await startModelServer(calls(['nope', {}]));
    const { error } = await run(prompt(), { server, tools: { tools: { echo } } });
    expect(error).toMatchObject({ code: 'tool_call_invalid', category: 'model' });
    expect(server.requests).toHaveLength(2);
  });

  it('fails at once with strict_tools', async () => {
    const server = await startModelServer(calls(['nope', {}]));
    const { error } = await run(prompt(), { server, tools: { tools: { echo }, strict: true } });
    expect(error).toMatchObject({ code: 'tool_call_invalid' });
    expect(server.requests).toHaveLength(1);
  });

  it.each(['', 'null', ' {} '])('takes %j as no arguments', async (arguments_) => {
    const server = await startModelServer(calls(['tool__echo', arguments_]), says('ok'));
    await run(prompt(), { server, tools: { tools: { echo: { command: ['echo', 'ran'] } } } });
    expect(messagesOf(server, 1).at(-1)!.content).toContain('ran');
  });

  it('hands hostile argument names over as plain data', async () => {
    const server = await startModelServer(
      calls(['tool__echo', '{"__proto__":{"text":"x"},"text":"own"}']),
      says('ok'),
    );
    await run(prompt(), { server, tools: { tools: { echo } } });
    expect(messagesOf(server, 1).at(-1)!.content).toContain('said own');
    expect(({} as { text?: unknown }).text).toBeUndefined();
  });

  it('denies by policy and goes on', async () => {
    const server = await startModelServer(calls(['tool__echo', { text: 'x' }]), says('ok then'));
    const policy = { deny: ['tool__*'] };
    const { value, events } = await run(prompt(), { server, tools: { tools: { echo }, policy } });
    expect(value).toBe('ok then');
    expect(messagesOf(server, 1).at(-1)!.content).toContain('tool_policy');
    expect(events).toContainEqual(
      expect.objectContaining({ type: 'tool.completed', decision: 'denied', isError: true }),
    );
  });

  it('asks for approval one by one before any call of the batch runs', async () => {
    const directory = await temporaryDirectory();
    const log: string[] = [];
    const server = await startModelServer(
      calls(['tool__touch', { f: 'a' }], ['tool__touch', { f: 'b' }]),
      says('ok'),
    );
    const touch = {
      command: ['touch', '{{ input.f }}'],
      cwd: directory,
      parameters: { type: 'object', properties: { f: { type: 'string' } } },
    };
    const approve = async (question: string) => {
      const ran = await readFile(join(directory, 'a')).then(
        () => true,
        () => false,
      );
      log.push(`${/"f":"(.)"/.exec(question)?.[1]} ${ran}`);
      return log.length === 1 ? ('yes' as const) : ('no' as const);
    };
    const { events } = await run(prompt({ tools: ['touch'] }), {
      server,
      tools: { tools: { touch }, approve },
    });
    expect(log).toEqual(['a false', 'b false']);
    const decisions = events.flatMap((event) => (event.type === 'tool.completed' ? [event.decision] : []));
    expect(decisions.sort()).toEqual(['approved', 'rejected']);
  });

  it('fails the step when nobody can be asked', async () => {
    const server = await startModelServer(calls(['tool__echo', { text: 'x' }]), says('never'));
    const approve = async () => {
      throw new Error('--approve-tools needs a terminal');
    };
    const { error } = await run(prompt(), { server, tools: { tools: { echo }, approve } });
    expect(error.message).toContain('talk');
    expect((error.cause as Error).message).toContain('approve-tools');
    expect(server.requests).toHaveLength(1);
  });

  it('[conversation.results-cut] cuts long results, and lets the model read the rest', async () => {
    const server = await startModelServer(
      calls(['tool__big', {}]),
      calls(['tool_result__read', { call_id: 'c1', offset: 5000, length: 6 }]),
      says('ok'),
    );
    const big = {
      command: ['sh', '-c', 'printf "%05000d" 0; printf "MIDDLE"; printf "%05000d" 1; printf "終"'],
    };
    const { events } = await run(prompt({ tools: ['big'] }), {
      server,
      tools: { tools: { big }, maxResultBytes: 2048 },
    });
    const shown = String(messagesOf(server, 1).at(-1)!.content);
    expect(Buffer.byteLength(shown)).toBeLessThan(2400);
    expect(shown).toMatch(
      /^0{1000,}\n\[… \d+ of 10009 bytes left out …\]\n0{900,}1終\n\[read the rest with tool_result__read/,
    );
    const offered = server.requests.map(({ body }) =>
      (body.tools as { function: { name: string } }[]).map((tool) => tool.function.name),
    );
    expect(offered).toEqual([
      ['tool__big'],
      ['tool__big', 'tool_result__read'],
      ['tool__big', 'tool_result__read'],
    ]);
    expect(messagesOf(server, 2).at(-1)!.content).toBe('MIDDLE\n[characters 5000 to 5006 of 10007]');
    const whole = events.find((event) => event.type === 'tool.completed');
    expect(whole).toMatchObject({ result: expect.stringContaining('MIDDLE') });
  });

  it('replaces a long history by a summary without tearing exchanges apart', async () => {
    const server = await startModelServer(
      calls(['tool__echo', { text: 'one' }]),
      calls(['tool__echo', { text: 'two' }], ['tool__echo', { text: 'three' }]),
      says('SUMMARY'),
      says('done'),
    );
    const compaction = { trigger_rounds: 2, keep_last_n: 1 };
    const { value, events } = await run(prompt(), { server, tools: { tools: { echo }, compaction } });
    expect(value).toBe('done');
    expect(server.requests[2]!.body.tools).toBeUndefined();
    expect(server.requests[2]!.text).toContain('said one');
    expect(messagesOf(server, 3).map(({ role }) => role)).toEqual([
      'user',
      'user',
      'assistant',
      'tool',
      'tool',
    ]);
    expect(messagesOf(server, 3)[1]!.content).toContain('SUMMARY');
    expect(events).toContainEqual(expect.objectContaining({ type: 'history.compacted', removed: 2 }));
  });

  it('repeats the whole exchange when the step is retried', async () => {
    const server = await startModelServer(
      calls(['tool__echo', { text: 'x' }]),
      json({ error: { message: 'lost it' } }, 400),
      calls(['tool__echo', { text: 'x' }]),
      says('ok'),
    );
    const [step] = prompt();
    const retry = { maxAttempts: 2, delaySeconds: 0, backoff: 1 };
    const { value } = await run([{ ...step!, retry }], { server, tools: { tools: { echo } } });
    expect(value).toBe('ok');
    expect(server.requests).toHaveLength(4);
  });

  it('ends the calls under way when the run is cancelled', async () => {
    const controller = new AbortController();
    const server = await startModelServer(calls(['tool__wait', {}]), says('never'));
    const wait = { command: ['sleep', '60'] };
    const running = run(prompt({ tools: ['wait'] }), {
      server,
      tools: { tools: { wait } },
      signal: controller.signal,
    });
    await expect.poll(() => server.requests.length, { timeout: 20_000 }).toBe(1);
    controller.abort();
    expect((await running).result.status).toBe('cancelled');
    expect(server.requests).toHaveLength(1);
  });
});
