import { execFile } from 'node:child_process';
import { mkdtemp, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { expect, test } from 'vitest';
import {
  createLait,
  DefinitionError,
  defineTool,
  isLaitError,
  type LaitOptions,
  type RunEvent,
  UsageError,
} from '../../src/index.js';
import { says, startModelServer } from '../models/model-server.js';

const run = promisify(execFile);

async function laitFor(options: LaitOptions = {}) {
  const workingDirectory = await mkdtemp(join(tmpdir(), 'lait-library-'));
  return { workingDirectory, lait: await createLait({ config: false, workingDirectory, ...options }) };
}

test('loads a file, a definition or a registered name, and runs it', async () => {
  const { lait, workingDirectory } = await laitFor({ config: { workflows: { double: './d.yml' } } });
  await writeFile(
    join(workingDirectory, 'd.yml'),
    'name: doubling\ninputs: { n: integer }\nsteps: [ { jq: $inputs.n * 2 } ]\n',
  );
  const file = await lait.load<number>('d.yml');
  expect([file.name, Object.keys(file.inputs)]).toEqual(['doubling', ['n']]);
  expect(await file.run({ inputs: { n: 21 } })).toMatchObject({
    status: 'completed',
    value: 42,
    usage: null,
  });
  const named = await lait.load('double');
  expect(await named.run({ inputs: { n: 2 } })).toMatchObject({ value: 4 });
  const object = await lait.load({ steps: [{ jq: '{got: .}' }] });
  expect(await object.run({ input: ['日本', 1] })).toMatchObject({ value: { got: ['日本', 1] } });
});

test('runs of one workflow may overlap, each with its own events', async () => {
  const { lait } = await laitFor();
  const workflow = await lait.load({
    steps: [
      { id: 'a', jq: '. + 1' },
      { run: ['cat'], output: 'tonumber' },
    ],
  });
  const runs = await Promise.all(
    [1, 2, 3].map(async (input) => {
      const events: RunEvent[] = [];
      const result = await workflow.run({ input, onEvent: (event) => events.push(event) });
      const types = events.map(({ type }) => type);
      return [result.status === 'completed' && result.value, types[0], types.at(-1)];
    }),
  );
  expect(runs).toEqual([2, 3, 4].map((value) => [value, 'run.started', 'run.completed']));
});

test('every problem of a definition comes with its place', async () => {
  const { lait } = await laitFor();
  const error: unknown = await lait
    .load({ steps: [{ jq: '.[' }, { prompt: '{{ x' }] })
    .catch((thrown) => thrown);
  expect(error).toBeInstanceOf(DefinitionError);
  const { diagnostics } = error as DefinitionError;
  expect(diagnostics.map(({ code, path }) => [code, path])).toEqual([
    ['jq_syntax', 'steps[0]'],
    ['template_syntax', 'steps[1]'],
  ]);
  expect(diagnostics.every(({ position }) => position?.file === '<definition>')).toBe(true);
});

test('a run throws what made it fail', async () => {
  const { lait } = await laitFor();
  const workflow = await lait.load({ steps: [{ id: 'x', jq: 'error("boom")' }] });
  await expect(workflow.run({ input: 1 })).rejects.toSatisfy(
    (error) => isLaitError(error) && error.category === 'failed' && error.details.id === 'x',
  );
  await expect(workflow.run()).rejects.toBeInstanceOf(UsageError);
});

test('a signal cancels the run and what it started', async () => {
  const { lait } = await laitFor();
  const workflow = await lait.load({ steps: [{ run: ['sleep', '30'] }] });
  const controller = new AbortController();
  const running = workflow.run({
    input: 'x',
    signal: controller.signal,
    onEvent: ({ type }) => {
      if (type === 'attempt.started') controller.abort();
    },
  });
  await expect(running).rejects.toMatchObject({ category: 'cancelled' });
});

test('a question is answered by the program, or the run parks with it', async () => {
  const definition = { steps: [{ ask: 'Which? {{ input }}', choices: ['a', 'b'] }] };
  const { lait } = await laitFor({ answer: async ({ text }) => (text === 'Which? now' ? 'b' : undefined) });
  const workflow = await lait.load(definition);
  expect(await workflow.run({ input: 'now' })).toMatchObject({ status: 'completed', value: 'b' });
  expect(await workflow.run({ input: 'later' })).toMatchObject({
    status: 'parked',
    questions: [{ question: { text: 'Which? later', choices: ['a', 'b'] } }],
  });
});

test('models, tools and agents given in code work together', async () => {
  const server = await startModelServer(
    says({
      tool_calls: [
        { id: 'c1', type: 'function', function: { name: 'tool__add', arguments: '{"a":2,"b":3}' } },
      ],
    }),
    says({ content: 'it is 5', usage: { prompt_tokens: 4, completion_tokens: 3, total_tokens: 7 } }),
  );
  const { lait } = await laitFor({
    config: { base_url: server.baseUrl, default: { model: 'm' } },
    tools: {
      add: defineTool({
        inputSchema: {
          type: 'object',
          properties: { a: { type: 'number' }, b: { type: 'number' } },
          required: ['a', 'b'],
        },
        execute: ({ a, b }) => a + b,
      }),
    },
    agents: { adder: { system: 'You add. {{ input }}', tools: ['add'] } },
  });
  const workflow = await lait.load({ steps: [{ agent: 'adder' }] });
  expect(await workflow.run({ input: '2 + 3' })).toMatchObject({
    value: 'it is 5',
    usage: { input_tokens: 4, output_tokens: 3 },
  });
  expect(server.requests[1]!.body.messages).toMatchObject([
    { role: 'system', content: 'You add. 2 + 3' },
    { role: 'user', content: '2 + 3' },
    { role: 'assistant' },
    { role: 'tool', content: '5' },
  ]);
  await lait.close();
});

test('a configuration given as values is checked like a file', async () => {
  const config = { default: { modle: 'x' } } as LaitOptions['config'];
  await expect(createLait({ config })).rejects.toMatchObject({
    diagnostics: [{ code: 'unknown_field', hint: "did you mean 'model'?" }],
  });
});

test('dynamic workflows are registered by id and called from the steps form', async () => {
  const { lait } = await laitFor();
  await lait.addDynamicWorkflows([
    {
      id: 'shout',
      inputSchema: { type: 'object', properties: { text: { type: 'string' } }, required: ['text'] },
      outputSchema: {},
      graph: [{ type: 'mapping', id: 'm', mapConfig: { loud: { template: '${initData.text}!' } } }],
    },
  ]);
  const dynamic = await lait.getWorkflow('shout').createRun();
  expect(await dynamic.start({ inputData: { text: 'hey' } })).toMatchObject({
    status: 'success',
    result: { loud: 'hey!' },
  });
  const steps = await lait.load({ steps: [{ input: '{text: .}', workflow: 'shout' }, { jq: '.loud' }] });
  expect(await steps.run({ input: 'from steps' })).toMatchObject({ value: 'from steps!' });
  expect(() => lait.getWorkflow('whisper')).toThrow('whisper');
});

test('the example script runs from its recordings', async () => {
  const script = fileURLToPath(new URL('../../../../examples/library/release-notes.mjs', import.meta.url));
  const { stdout, stderr } = await run(process.execPath, [script]);
  expect(stdout).toContain('dark theme');
  expect(stdout).toContain('{ feature: 1, fix: 1, other: 1 }');
  expect(stderr).toContain('==> release-notes');
});
