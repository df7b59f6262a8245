import { existsSync, readFileSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { afterEach, describe, expect, it } from 'vitest';
import type { RunEvent } from '../../src/engine/events.js';
import { spansOf } from '../../src/observe/trace/read-trace.js';
import type { Span, TraceLine } from '../../src/observe/trace/span.js';
import { TraceRecorder } from '../../src/observe/trace/trace-recorder.js';
import { directoryWith, lait } from '../cli/run-lait.js';
import { json, says, startModelServer } from '../models/model-server.js';
import { block, call, jq, plan, type Step, start } from '../support/plans.js';

const lines = (directory: string, name = 't.jsonl') =>
  readFileSync(join(directory, name), 'utf8')
    .trimEnd()
    .split('\n')
    .map((line) => JSON.parse(line) as TraceLine);

const workflow = (url: string, steps: string) =>
  `default: { model: main }\nmodels:\n  main: [ { provider: { base_url: "${url}", api_key: "sk-very-secret-1" }, model_id: m-1, pricing: { input_per_million: 10, cached_input_per_million: 1, output_per_million: 20 } } ]\nsteps:\n${steps}`;
const toolConfig =
  'tools:\n  echo: { command: [sh, -c, "cat; echo {{ input.word }}"], parameters: { type: object } }\n';
const asks = (word: string) => ({
  content: null,
  tool_calls: [
    {
      id: 'c1',
      type: 'function' as const,
      function: { name: 'tool__echo', arguments: JSON.stringify({ word }) },
    },
  ],
});

const closing: (() => void)[] = [];
afterEach(() => {
  for (const close of closing.splice(0)) close();
});

/** A collector that keeps the spans it is sent. */
async function startCollector(status = 200) {
  const spans: {
    name: string;
    traceId: string;
    spanId: string;
    parentSpanId?: string;
    attributes: { key: string }[];
    status: object;
  }[] = [];
  const server = createServer((request, response) => {
    let body = '';
    request.setEncoding('utf8').on('data', (text: string) => (body += text));
    request.on('end', () => {
      if (request.url === '/v1/traces') {
        const { resourceSpans } = JSON.parse(body) as {
          resourceSpans: { scopeSpans: { spans: typeof spans }[] }[];
        };
        for (const { scopeSpans } of resourceSpans)
          for (const scope of scopeSpans) spans.push(...scope.spans);
      }
      response.writeHead(status, { 'content-type': 'application/json' }).end('{}');
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  closing.push(() => server.close());
  return { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`, spans };
}

describe('[trace.file] --trace-file', () => {
  it('holds model calls and tool calls, with their parents, usage and cost', async () => {
    const usage = {
      prompt_tokens: 100,
      completion_tokens: 10,
      total_tokens: 110,
      prompt_tokens_details: { cached_tokens: 60 },
    };
    const server = await startModelServer(says({ ...asks('日本'), usage }), says({ content: 'done', usage }));
    const directory = directoryWith({
      'w.yml': workflow(server.baseUrl, '  - id: talk\n    prompt: hi\n    tools: [echo]\n'),
      'lait.config.yml': toolConfig,
    });
    const { code } = await lait(directory, ['run', 'w.yml', 'x', '--trace-file', 'deep/er/t.jsonl']);
    expect(code).toBe(0);
    const found = lines(directory, 'deep/er/t.jsonl');
    expect(found.map(({ seq, operation, label }) => [seq, operation, label])).toEqual([
      [0, 'chat', 'talk'],
      [1, 'execute_tool', 'talk'],
      [2, 'chat', 'talk'],
    ]);
    expect(found[0]).toMatchObject({
      start: expect.stringMatching(/^\d{4}-.*Z$/),
      duration_ms: expect.any(Number),
      attributes: {
        'gen_ai.request.model': 'm-1',
        'gen_ai.usage.input_tokens': 100,
        'gen_ai.usage.output_tokens': 10,
        'gen_ai.usage.cache_read.input_tokens': 60,
        'gen_ai.response.model': 'answering-model',
        'lait.source': 'live',
        // 40 uncached, 60 cached, 10 out: cached tokens are not counted twice.
        'lait.cost': (40 * 10 + 60 * 1 + 10 * 20) / 1e6,
      },
    });
    expect(found[1]!.attributes).toMatchObject({
      'gen_ai.tool.name': 'tool__echo',
      'gen_ai.tool.arguments': '{"word":"日本"}',
      'lait.tool.decision': 'allowed',
      'lait.tool.round': expect.any(Number),
    });
    const [run, step] = found[0]!.ancestors;
    expect([run!.operation, step!.operation, step!.label]).toEqual(['run', 'step', 'talk']);
    expect(new Set(found.map(({ parent_span_id }) => parent_span_id))).toEqual(new Set([step!.span_id]));
    expect(new Set(found.map(({ trace_id }) => trace_id)).size).toBe(1);
  });

  it('is there after a failure, with what failed, and holds no key', async () => {
    const server = await startModelServer(
      says('sk-very-secret-1'),
      json({ error: { message: 'no such model sk-very-secret-1' } }, 404),
    );
    const directory = directoryWith({
      'w.yml': workflow(server.baseUrl, '  - prompt: one\n  - prompt: two\n'),
    });
    const { code } = await lait(directory, ['run', 'w.yml', 'x', '--trace-file', 't.jsonl']);
    expect(code).toBe(4);
    const found = lines(directory);
    expect(found).toHaveLength(2);
    expect(found[1]).toMatchObject({
      operation: 'chat',
      error: expect.stringContaining('404'),
      attributes: { 'error.type': expect.any(String) },
    });
    expect(readFileSync(join(directory, 't.jsonl'), 'utf8')).not.toContain('sk-very-secret-1');
  });

  it('that cannot be written stops the run before it begins', async () => {
    const directory = directoryWith({ 'w.yml': 'steps:\n  - run: [touch, ran]\n', 'a-file': '' });
    const { code, stderr } = await lait(directory, [
      'run',
      'w.yml',
      'x',
      '--trace-file',
      'a-file/t.jsonl',
      '--checkpoint',
    ]);
    expect([code, stderr]).toEqual([1, expect.stringContaining('a-file/t.jsonl')]);
    const { stderr: missing } = await lait(directory, ['trace', 'show', 'ran']);
    expect(missing).toContain('no such file');
  });
});

describe('[trace.spans] spans of a run', () => {
  async function traced(steps: readonly Step[]) {
    const spans: Span[] = [];
    const recorder = new TraceRecorder({ mask: (value) => value, onSpan: (span) => spans.push(span) });
    const events: RunEvent[] = [];
    await start(plan(steps), 'x', {
      onEvent: (event) => {
        events.push(event);
        recorder.handle(event);
      },
    }).settled();
    return { spans, recorder };
  }
  const tree = (spans: readonly Span[]) =>
    spans
      .map(
        ({ parent_span_id, label }) =>
          `${spans.find(({ span_id }) => span_id === parent_span_id)?.label ?? '-'} > ${label}`,
      )
      .sort();

  it('form one tree that follows blocks, iterations and attempts', async () => {
    let tries = 0;
    const { spans } = await traced([
      {
        kind: 'group',
        id: 'g',
        fields: { group: block('steps[0].group', [jq(() => [1, 2], { id: 'inner' })]) },
      },
      {
        kind: 'for_each',
        id: 'each',
        fields: {
          for_each: { language: 'constant', source: '', references: [], evaluate: () => [1, 2] },
          max_concurrency: 2,
          steps: block('steps[1].for_each.steps', [call(async () => 1, { id: 'item' })]),
        },
      },
      call(
        async () => {
          tries += 1;
          if (tries < 2) throw new Error('no');
          return 1;
        },
        { id: 'again', retry: { maxAttempts: 2, delaySeconds: 0, backoff: 1 } },
      ),
    ]);
    expect(tree(spans)).toEqual([
      '- > test',
      'each > item',
      'each > item',
      'g > inner',
      'test > again',
      'test > each',
      'test > g',
    ]);
    expect(spans.every(({ start: from, end }) => end >= from)).toBe(true);
  });

  it('of a failed step say so, up to the run', async () => {
    const { spans } = await traced([
      {
        kind: 'group',
        id: 'g',
        fields: {
          group: block('steps[0].group', [
            call(
              async () => {
                throw new Error('broken');
              },
              { id: 'bad' },
            ),
          ]),
        },
      },
    ]);
    expect(spans.map(({ label, error }) => [label, error?.includes('broken')])).toEqual([
      ['bad', true],
      ['g', true],
      ['test', true],
    ]);
  });
});

describe('lait trace', () => {
  async function recorded() {
    const server = await startModelServer(says(asks('x')), says('done'));
    const directory = directoryWith({
      'w.yml': workflow(
        server.baseUrl,
        '  - id: talk\n    group: [ { id: inner, prompt: hi, tools: [echo] } ]\n',
      ),
      'lait.config.yml': toolConfig,
    });
    await lait(directory, ['run', 'w.yml', 'x', '--trace-file', 't.jsonl']);
    return directory;
  }

  it('shows a file step by step', async () => {
    const directory = await recorded();
    const { code, stdout } = await lait(directory, ['trace', 'show', 't.jsonl']);
    expect(code).toBe(0);
    expect(stdout).toMatch(/^talk > inner\n {2}\[0\] +chat +m-1 +\d+ ms/);
    expect(stdout).toContain('2 model calls, 1 tool call');
    const asJson = await lait(directory, ['trace', 'show', 't.jsonl', '--json']);
    expect(JSON.parse(asJson.stdout)).toHaveLength(3);
  });

  it('[trace.otlp] sends a file to a collector, with the steps around its spans', async () => {
    const directory = await recorded();
    const collector = await startCollector();
    const { code, stderr } = await lait(directory, ['trace', 'export', 't.jsonl', '--otlp', collector.url]);
    expect([code, stderr]).toEqual([0, expect.stringContaining('sent 6 spans')]);
    const name = (id?: string) => collector.spans.find(({ spanId }) => spanId === id)?.name ?? '-';
    expect(collector.spans.map(({ name: own, parentSpanId }) => `${name(parentSpanId)} > ${own}`)).toEqual([
      '- > run w.yml',
      'run w.yml > step talk',
      'step talk > step inner',
      'step inner > chat m-1',
      'step inner > execute_tool tool__echo',
      'step inner > chat m-1',
    ]);
    expect(collector.spans[3]!.attributes.map(({ key }) => key)).toContain('gen_ai.request.model');
  });

  it('a run sends its own spans, and a collector that fails is a warning', async () => {
    const collector = await startCollector();
    const directory = directoryWith({
      'w.yml': 'steps:\n  - id: a\n    jq: .\n  - id: b\n    run: [sh, -c, "exit 3"]\n',
    });
    const sent = await lait(directory, ['run', 'w.yml', 'x', '--otlp', collector.url]);
    expect(sent.code).toBe(1);
    expect(collector.spans.map(({ name }) => name).sort()).toEqual(['run w.yml', 'step a', 'step b']);
    const bad = await startCollector(400);
    const refused = await lait(directory, ['run', 'w.yml', 'x', '--otlp', bad.url]);
    expect([refused.code, refused.stderr]).toEqual([
      1,
      expect.stringContaining('warning: spans could not be sent'),
    ]);
  });

  it('an address that is none is refused before anything runs', async () => {
    const directory = directoryWith({ 'w.yml': 'steps:\n  - run: [touch, ran]\n' });
    for (const address of ['nonsense', 'ftp://host', '']) {
      for (const args of [
        ['run', 'w.yml', 'x', '--otlp', address],
        ['trace', 'export', 'w.yml', '--otlp', address],
      ]) {
        const { code, stdout, stderr } = await lait(directory, args);
        expect([code, stdout, stderr]).toEqual([2, '', expect.stringContaining('is no http(s) URL')]);
      }
    }
    expect(existsSync(join(directory, 'ran'))).toBe(false);
  });

  it('a file whose last line was cut off is read up to it; one that is no trace is refused', async () => {
    const directory = await recorded();
    const text = readFileSync(join(directory, 't.jsonl'), 'utf8');
    const cut = directoryWith({ 'cut.jsonl': text.slice(0, -40), 'no.jsonl': '{"a":1}\n' });
    const shown = await lait(cut, ['trace', 'show', 'cut.jsonl', '--json']);
    expect([JSON.parse(shown.stdout).length, shown.stderr]).toEqual([2, expect.stringContaining('cut off')]);
    const refused = await lait(cut, ['trace', 'show', 'no.jsonl']);
    expect([refused.code, refused.stderr]).toEqual([1, expect.stringContaining('no.jsonl, line 1')]);
    expect(spansOf([])).toEqual([]);
  });
});
