import { mkdtemp, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { createLait, defineTool } from '../../src/index.js';
import { capabilityNode, graphOf, terminal } from '../runs/graph-host.js';

async function host(config: object, files: Record<string, string> = {}, tools = {}) {
  const workingDirectory = await mkdtemp(join(tmpdir(), 'lait-capabilities-'));
  for (const [name, text] of Object.entries(files)) await writeFile(join(workingDirectory, name), text);
  const lait = await createLait({ config: config as never, workingDirectory, tools });
  return { lait, runs: await lait.runs(), workingDirectory };
}

it('a shell tool, a tool given in code and a workflow of each form stand behind capabilities [capability.backings]', async () => {
  const { lait, runs } = await host(
    {
      tools: {
        shout: {
          command: ['node', '-e', 'process.stdout.write(process.argv[1].toUpperCase())', '{{ input.text }}'],
          parameters: { type: 'object', properties: { text: { type: 'string' } }, required: ['text'] },
        },
      },
      capabilities: {
        shout: { tool: 'shout', approval_policy: 'auto' },
        add: { tool: 'adder', approval_policy: 'auto' },
        double: { workflow: './double.yml', approval_policy: 'auto' },
      },
    },
    { 'double.yml': 'inputs: { n: integer }\nsteps: [ { jq: "{n: ($inputs.n * 2)}" } ]\n' },
    {
      adder: defineTool({
        inputSchema: {
          type: 'object',
          properties: { a: { type: 'integer' }, b: { type: 'integer' } },
          required: ['a', 'b'],
        },
        execute: ({ a, b }) => ({ sum: Number(a) + Number(b) }),
      }),
    },
  );
  const graph = graphOf(
    [
      capabilityNode('shout', 'shout', { inputs: { text: 'hello 日本' } }),
      capabilityNode('add', 'add', { inputs: { a: 1, b: 2 } }),
      capabilityNode('double', 'double', { inputs: { n: { $ref: 'nodes.add.output.sum' } } }),
      terminal('t'),
    ],
    ['shout->add', 'add->double', 'double->t'],
  );
  const { plan } = await lait.load(graph);
  const { run_id } = await runs.create(plan);
  const record = await runs.drive(run_id);
  expect(record.error_summary).toBeUndefined();
  const { nodes } = await runs.view(run_id);
  expect(nodes.map(({ node_id, output }) => [node_id, output])).toEqual([
    ['shout', { summary: 'HELLO 日本' }],
    ['add', { sum: 3 }],
    ['double', { n: 6 }],
    ['t', { n: 6 }],
  ]);
  await lait.close();
});

it('a question inside a workflow parks the run, and its failure fails the node with the cause [capability.child-questions]', async () => {
  const { lait, runs } = await host(
    { workflows: { child: './child.yml' }, capabilities: { run_workflow: { approval_policy: 'auto' } } },
    {
      'child.yml':
        'inputs: { fail: boolean }\nsteps:\n  - { id: name, ask: "Who?" }\n  - when: $inputs.fail\n    run: [node, -e, "process.exit(3)"]\n  - jq: "{who: $steps.name}"\n',
    },
  );
  const graph = (fail: boolean) =>
    graphOf(
      [
        capabilityNode('w', 'run_workflow', { inputs: { workflow: 'child', inputs: { fail } } }),
        terminal('t'),
        terminal('bad', 'failure'),
      ],
      ['w->t', 'w->bad!'],
    );
  for (const [fail, status] of [
    [false, 'completed'],
    [true, 'failed'],
  ] as const) {
    const { plan } = await lait.load(graph(fail));
    const { run_id } = await runs.create(plan);
    expect((await runs.drive(run_id)).status).toBe('waiting_hitl');
    const [question] = (await runs.read(run_id)).questions;
    expect(question).toMatchObject({ node_id: 'w', question: { text: 'Who?' } });
    expect((await runs.view(run_id)).nodes).toMatchObject([{ node_id: 'w', status: 'waiting_hitl' }]);
    await runs.answer(run_id, 'me');
    expect((await runs.drive(run_id)).status).toBe(status);
    const row = (await runs.view(run_id)).nodes[0]!;
    if (fail)
      expect(row).toMatchObject({ status: 'failed', error_summary: expect.stringMatching(/steps\[1\].*3/) });
    else expect(row).toMatchObject({ status: 'succeeded', output: { who: 'me' } });
  }
  await lait.close();
});

it('a run with what writes waits for consent, the file is written once consent is given', async () => {
  const { lait, runs } = await host({ capabilities: { file_write: { root: './vault' } } });
  const graph = graphOf(
    [
      capabilityNode('w', 'vault_write_file', { inputs: { relative_path: 'a.md', content: 'hi' } }),
      capabilityNode('r', 'vault_read_file', {
        inputs: { relative_path: { $ref: 'nodes.w.output.relative_path' } },
      }),
      terminal('t'),
    ],
    ['w->r', 'r->t'],
  );
  const { plan } = await lait.load(graph);
  const { run_id, status } = await runs.create(plan);
  expect(status).toBe('waiting_approval');
  await runs.approve(run_id);
  await expect(runs.approve(run_id)).rejects.toMatchObject({ code: 'run_conflict' });
  expect(await runs.drive(run_id)).toMatchObject({
    status: 'completed',
    result: { relative_path: 'a.md', content: 'hi' },
  });
});

it('refuses entries that are backed by nothing or by two things, and unknown keys', async () => {
  for (const entry of [{}, { tool: 'a', workflow: 'b' }]) {
    await expect(host({ capabilities: { x: entry } })).rejects.toMatchObject({ category: 'definition' });
  }
  await expect(host({ capabilities: { x: { tol: 'a' } } })).rejects.toMatchObject({
    code: 'configuration_invalid',
  });
});

it('holds inputs and outputs against schemas that use all of JSON Schema', async () => {
  const { lait, runs } = await host({}, {}, {});
  const given = await createLait({
    config: false,
    capabilities: [
      {
        key: 'any',
        enabled: true,
        approval_policy: 'auto',
        effects: [],
        input_schema: {
          type: 'object',
          properties: { x: { anyOf: [{ type: 'string' }, { type: 'integer' }] } },
          required: ['x'],
        },
        execute: async (inputs) => ({ status: 'succeeded', output: inputs }),
      },
    ],
  });
  const controller = await given.runs();
  for (const [x, status] of [
    ['a', 'completed'],
    [1, 'completed'],
    [true, 'failed'],
  ] as const) {
    const graph = graphOf(
      [
        capabilityNode('a', 'any', { inputs: { x: { $ref: 'run.inputs.x' } }, retry: { max_attempts: 3 } }),
        terminal('t'),
      ],
      ['a->t'],
    );
    const { plan } = await given.load(graph);
    const { run_id } = await controller.create(plan, { inputs: { x } });
    expect((await controller.drive(run_id)).status).toBe(status);
    // Wrong inputs are not worth another attempt.
    expect((await controller.view(run_id)).nodes.filter(({ node_id }) => node_id === 'a')).toHaveLength(1);
  }
  void runs;
  await lait.close();
});
