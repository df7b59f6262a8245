import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, describe, expect, it } from 'vitest';
import { defineTool, type RunEvent } from '../../../src/index.js';
import { complete, host, mapping, resultOf, tool } from './host.js';

const directories: string[] = [];
afterEach(() => {
  for (const directory of directories.splice(0)) rmSync(directory, { recursive: true, force: true });
});

/** A directory with these files; objects are written as JSON. */
function folder(files: Record<string, string | object>): string {
  const directory = mkdtempSync(join(tmpdir(), 'lait-forms-'));
  directories.push(directory);
  for (const [name, content] of Object.entries(files)) {
    writeFileSync(join(directory, name), typeof content === 'string' ? content : JSON.stringify(content));
  }
  return directory;
}

/** Waits until it is stopped, and says so. */
function waiting() {
  const seen: string[] = [];
  const wait = defineTool({
    inputSchema: {},
    outputSchema: {},
    execute: (_, { signal }) =>
      new Promise<never>((_resolve, reject) => {
        seen.push('started');
        signal.addEventListener('abort', () => {
          seen.push('stopped');
          reject(signal.reason);
        });
      }),
  });
  return { wait, seen };
}

const shout = complete({
  id: 'shout',
  inputSchema: { type: 'object', properties: { text: { type: 'string' } }, required: ['text'] },
  graph: [tool('up', 'upper')],
});

describe('[dynamic.crosses-forms] a workflow of the steps form', () => {
  it('calls a dynamic one by path and by id, with the piped value or with inputs', async () => {
    const workingDirectory = folder({
      'shout.json': shout,
      'parent.yml': `
version: 2
steps:
  - id: shaped
    jq: '{ text: ., more: 1 }'
  - id: file
    workflow: ./shout.json
  - id: registered
    workflow: shout
    with: '{ text: (.text + "!") }'
  - jq: '[$steps.file.text, .text]'
`,
    });
    const lait = await host({ workingDirectory });
    await lait.addDynamicWorkflow({ ...shout, id: 'shout' });
    const workflow = await lait.load('parent.yml');
    expect(await workflow.run({ input: 'hey 日本' })).toMatchObject({ value: ['HEY 日本', 'HEY 日本!'] });
  });

  it('catches what fails in a dynamic one, with the message and the way to it', async () => {
    const workingDirectory = folder({
      'child.json': complete({ id: 'child', graph: [tool('f', 'fail')] }),
      'parent.yml': `
version: 2
steps:
  - id: call
    workflow: ./child.json
    on_error:
      - jq: .error
`,
    });
    const workflow = await (await host({ workingDirectory })).load('parent.yml');
    const { value } = (await workflow.run({ input: 'x' })) as { value: unknown };
    expect(JSON.stringify(value)).toMatch(/graph\.0 \(id 'f'\) failed: boom/);
  });

  it('stops a dynamic one when its time is over or when the run is cancelled, and waits for what is under way', async () => {
    const workingDirectory = folder({
      'child.json': complete({
        id: 'child',
        graph: [{ type: 'parallel', steps: [tool('a', 'wait'), tool('b', 'wait')] }],
      }),
      'timeout.yml': 'version: 2\nsteps:\n  - workflow: ./child.json\n    timeout: 1\n',
      'plain.yml': 'version: 2\nsteps:\n  - workflow: ./child.json\n',
    });
    const { wait, seen } = waiting();
    const lait = await host({ workingDirectory, tools: { wait } });
    await expect((await lait.load('timeout.yml')).run({ input: 'x' })).rejects.toMatchObject({
      category: 'timeout',
    });
    expect(seen).toEqual(['started', 'started', 'stopped', 'stopped']);
    const abort = new AbortController();
    const running = (await lait.load('plain.yml')).run({
      input: 'x',
      signal: abort.signal,
      onEvent: (event) => {
        if (event.type === 'attempt.started' && event.id === 'b') setTimeout(() => abort.abort(), 10);
      },
    });
    await expect(running).rejects.toMatchObject({ category: 'cancelled' });
    expect(seen.slice(4).sort()).toEqual(['started', 'started', 'stopped', 'stopped']);
  });
});

describe('a dynamic workflow', () => {
  const steps = {
    'inner.yml': `
version: 2
inputs:
  text: string
steps:
  - jq: '$inputs.text | ascii_upcase'
`,
    'piped.yml': 'version: 2\nsteps:\n  - jq: .text\n',
    'broken.yml': 'version: 2\nsteps:\n  - id: gives_up\n    jq: error("no luck")\n',
  };

  it('calls workflows of the steps form by name and, from a file, by path', async () => {
    const workingDirectory = folder({
      ...steps,
      'parent.json': complete({
        id: 'parent',
        graph: [
          mapping('m', { text: { template: 'hi ${initData.who}' } }),
          {
            type: 'parallel',
            steps: [
              { type: 'workflow', id: 'declared', workflowId: './inner.yml' },
              { type: 'workflow', id: 'piped', workflowId: 'named' },
            ],
          },
        ],
      }),
    });
    const lait = await host({ workingDirectory, config: { workflows: { named: 'piped.yml' } } });
    const workflow = await lait.load('parent.json');
    expect(await workflow.run({ inputs: { who: 'you' } })).toMatchObject({
      value: { declared: 'HI YOU', piped: 'hi you' },
    });
  });

  it('fails with what failed in a workflow of the steps form', async () => {
    const lait = await host({
      workingDirectory: folder(steps),
      config: { workflows: { broken: 'broken.yml' } },
    });
    await lait.addDynamicWorkflow(
      complete({ graph: [{ type: 'workflow', id: 'call', workflowId: 'broken' }] }),
    );
    const created = await lait.getWorkflow('w').createRun();
    const outcome = await created.start({ inputData: 'x' });
    expect(outcome).toMatchObject({
      status: 'failed',
      error: { message: expect.stringContaining('no luck') },
      steps: { call: { status: 'failed' } },
    });
  });

  it('is suspended by a question of a workflow of the steps form, and hands the answer on', async () => {
    const ask = 'version: 2\nsteps:\n  - id: question\n    ask: How many?\n';
    const lait = await host({
      workingDirectory: folder({ 'ask.yml': ask }),
      config: { workflows: { asking: 'ask.yml' } },
    });
    await lait.addDynamicWorkflow(
      complete({ graph: [{ type: 'workflow', id: 'call', workflowId: 'asking' }] }),
    );
    const created = await lait.getWorkflow('w').createRun();
    expect(await created.start({ inputData: 'x' })).toMatchObject({
      status: 'suspended',
      suspended: [['call', 'question']],
      suspendPayload: { call: { question: 'How many?' } },
    });
    expect(resultOf(await created.resume({ resumeData: 'three' }))).toBe('three');
  });

  it('cancelled from outside stops what it called and says canceled', async () => {
    const { wait, seen } = waiting();
    const lait = await host({ tools: { wait } });
    await lait.addDynamicWorkflows([
      complete({ id: 'child', graph: [tool('t', 'wait')] }),
      complete({ graph: [{ type: 'workflow', id: 'call', workflowId: 'child' }, tool('after', 'echo')] }),
    ]);
    const created = await lait.getWorkflow('w').createRun();
    const abort = new AbortController();
    const events: RunEvent['type'][] = [];
    const outcome = await created.start({
      inputData: 1,
      signal: abort.signal,
      onEvent: (event) => {
        events.push(event.type);
        if (event.type === 'attempt.started' && event.id === 't') setTimeout(() => abort.abort(), 5);
      },
    });
    expect(outcome).toMatchObject({ status: 'canceled' });
    expect(seen).toEqual(['started', 'stopped']);
    expect(events.at(-1)).toBe('run.cancelled');
    expect(outcome.steps).not.toHaveProperty('after');
  });
});
