import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { dynamicApi } from '../../../src/server/compatible/dynamic/dynamic-api.js';
import { complete, literally, mapping, tool, tools } from '../../dialects/dynamic/host.js';
import { type DynamicClient, dynamicClient, isClientInstalled } from '../client-js/client.js';
import { startTestServer, type TestServer, until } from '../support/test-server.js';

const number = { type: 'object', properties: { n: { type: 'number' } }, required: ['n'] };
const increments = complete({
  id: 'increments',
  description: '数える 🔢',
  inputSchema: number,
  outputSchema: number,
  graph: [tool('first', 'increment'), tool('second', 'increment')],
});

let server: TestServer;
let client: DynamicClient;

beforeAll(async () => {
  server = await startTestServer({
    groups: [dynamicApi],
    services: {
      tools,
      agents: { parrot: { answer: async (prompt: string) => ({ text: `echo: ${prompt}` }) } },
    } as never,
  });
  if (!isClientInstalled) return;
  client = await dynamicClient(server.url);
  await client.upsertDynamicWorkflow(increments);
});
afterAll(() => server.stop());

async function events(
  stream: AsyncIterable<unknown>,
): Promise<{ type: string; payload: Record<string, never> }[]> {
  const all: { type: string; payload: Record<string, never> }[] = [];
  for await (const event of stream) all.push(event as never);
  return all;
}

// Without the library (npm ci in test/server/client-js) these are reported as skipped.
describe.skipIf(!isClientInstalled)('[server.dynamic-client] the dynamic form’s own client library', () => {
  it('registers workflows, lists, reads and deletes them', async () => {
    const other = complete({ id: 'calls', graph: [{ type: 'workflow', id: 'call', workflowId: 'callee' }] });
    const callee = complete({ id: 'callee', graph: [tool('echo')] });
    expect(await client.upsertDynamicWorkflow({ ...other, dependencies: [callee] })).toEqual({
      ok: true,
      id: 'calls',
      dependencyIds: ['callee'],
    });
    const { workflows, total } = await client.listDynamicWorkflows();
    expect(total).toBe(workflows.length);
    expect(workflows.map(({ id }: { id: string }) => id)).toEqual(
      expect.arrayContaining(['calls', 'callee', 'increments']),
    );
    const row = await client.getDynamicWorkflow('increments').details();
    expect(row).toMatchObject({
      id: 'increments',
      description: '数える 🔢',
      status: 'active',
      source: 'storage',
      graph: increments.graph,
      inputSchema: number,
    });
    const listed = await client.listWorkflows();
    expect(Object.keys(listed)).toEqual(expect.arrayContaining(['increments', 'calls']));
    expect(listed.increments).toMatchObject({
      name: 'increments',
      origin: 'dynamic',
      description: '数える 🔢',
    });
    expect(Object.keys(listed.increments.steps)).toEqual(['first', 'second']);
    expect((await client.listWorkflows(undefined, true)).increments).toMatchObject({
      stepCount: 2,
      steps: {},
    });
    expect(await client.getWorkflow('increments').getSchema()).toEqual({
      inputSchema: number,
      outputSchema: number,
    });
    expect(await client.getDynamicWorkflow('calls').delete()).toMatchObject({ success: true });
    expect(await client.getDynamicWorkflow('calls').delete()).toMatchObject({ success: true });
    await expect(client.getDynamicWorkflow('calls').details()).rejects.toMatchObject({ status: 404 });
    await expect(client.getWorkflow('calls').details()).rejects.toMatchObject({
      status: 404,
      body: { error: 'Workflow not found' },
    });
  });

  it('runs, waits for the result, and looks at it by parts', async () => {
    const workflow = client.getWorkflow('increments');
    const run = await workflow.createRun({ resourceId: 'team-1' });
    expect(await workflow.runById(run.runId)).toMatchObject({
      status: 'pending',
      resourceId: 'team-1',
      steps: {},
    });
    const result = await run.startAsync({ inputData: { n: 1 } });
    expect(result).toMatchObject({
      status: 'success',
      result: { n: 3 },
      input: { n: 1 },
      stepExecutionPath: ['first', 'second'],
      runId: run.runId,
      steps: {
        input: { n: 1 },
        first: { status: 'success', output: { n: 2 } },
        second: { status: 'success', output: { n: 3 } },
      },
    });
    // What came in is left out where it is what the step before gave.
    expect(result.steps.first).not.toHaveProperty('payload');
    const whole = await workflow.runById(run.runId);
    expect(whole).toMatchObject({
      runId: run.runId,
      workflowName: 'increments',
      resourceId: 'team-1',
      status: 'success',
      result: { n: 3 },
      payload: { n: 1 },
      suspendedPaths: {},
      waitingPaths: {},
    });
    expect(Object.keys(whole.steps)).toEqual(['first', 'second']);
    expect(whole.serializedStepGraph).toHaveLength(2);
    const part = await workflow.runById(run.runId, { fields: ['result'] });
    expect(part).toMatchObject({ status: 'success', result: { n: 3 }, workflowName: 'increments' });
    expect(part).not.toHaveProperty('steps');
    await expect(workflow.runById('never')).rejects.toMatchObject({
      status: 404,
      body: { error: 'Workflow run not found' },
    });
  });

  it('starts without waiting, lists with filters and pages, and deletes', async () => {
    const workflow = client.getWorkflow('increments');
    const run = await workflow.createRun({ runId: 'mine-1', resourceId: 'team-2' });
    expect(await run.start({ inputData: { n: 5 } })).toEqual({ message: 'Workflow run started' });
    await until(async () => (await workflow.runById('mine-1')).status === 'success');
    await workflow.createRun({ runId: 'mine-2', resourceId: 'team-2' });
    const { runs, total } = await workflow.runs({ resourceId: 'team-2' });
    expect(total).toBe(2);
    expect(runs.map(({ runId }: { runId: string }) => runId)).toEqual(['mine-2', 'mine-1']);
    expect(runs[1]).toMatchObject({
      workflowName: 'increments',
      resourceId: 'team-2',
      snapshot: { status: 'success', result: { n: 7 }, context: { input: { n: 5 } } },
    });
    expect((await workflow.runs({ resourceId: 'team-2', status: 'pending' })).runs).toHaveLength(1);
    expect(await workflow.runs({ resourceId: 'team-2', page: 1, perPage: 1 })).toMatchObject({
      total: 2,
      runs: [{ runId: 'mine-1' }],
    });
    expect(await workflow.deleteRunById('mine-1')).toEqual({ message: 'Workflow run deleted' });
    expect(await workflow.runs({ resourceId: 'team-2' })).toMatchObject({ total: 1 });
    await expect(run.start({ inputData: { n: 5 } })).rejects.toMatchObject({ status: 404 });
  });

  it('streams what happens, and replays it to whoever observes later', async () => {
    const run = await client.getWorkflow('increments').createRun();
    const live = await events(await run.stream({ inputData: { n: 1 } }));
    expect(live.map(({ type }) => type)).toEqual([
      'workflow-start',
      'workflow-step-start',
      'workflow-step-result',
      'workflow-step-start',
      'workflow-step-result',
      'workflow-finish',
    ]);
    expect(live.at(-1)!.payload).toMatchObject({
      workflowStatus: 'success',
      finalWorkflowResult: { n: 3 },
      metadata: {},
      output: { usage: { inputTokens: 0, outputTokens: 0, totalTokens: 0 } },
    });
    const replayed = await events(await run.observe());
    expect(replayed.map(({ type }) => type)).toEqual(live.map(({ type }) => type));
    const rest = await events(await run.observe({ offset: 4 }));
    expect(rest.map(({ type }) => type)).toEqual(['workflow-step-result', 'workflow-finish']);
  });

  it('is told of input that does not fit', async () => {
    const workflow = client.getWorkflow('increments');
    const run = await workflow.createRun();
    await expect(run.startAsync({ inputData: { n: 'one' } })).rejects.toMatchObject({
      status: 400,
      body: { error: expect.stringMatching(/^Invalid input data: \n- n: /) },
    });
    const streamed = await events(await run.stream({ inputData: { n: 'one' } }));
    expect(streamed.map(({ type }) => type)).toEqual(['workflow-start', 'workflow-finish']);
    expect(streamed[1]!.payload).toMatchObject({ workflowStatus: 'failed' });
    expect(await workflow.runById(run.runId)).toMatchObject({ status: 'pending' });
  });

  it('gives a failed run as a result', async () => {
    await client.upsertDynamicWorkflow(complete({ id: 'fails', graph: [tool('fail')] }));
    const run = await client.getWorkflow('fails').createRun();
    const result = await run.startAsync({ inputData: {} });
    expect(result).toMatchObject({ status: 'failed', error: { message: 'boom', name: 'TypeError' } });
    expect(result.steps.fail).toMatchObject({ status: 'failed', error: { message: 'boom' } });
    expect(await client.getWorkflow('fails').runById(run.runId)).toMatchObject({
      status: 'failed',
      error: { message: 'boom' },
    });
  });

  it('resumes suspended steps: without waiting, with the result, and as a stream', async () => {
    await client.upsertDynamicWorkflow(
      complete({ id: 'asks', graph: [tool('before', 'echo'), tool('ask'), tool('after', 'echo')] }),
    );
    const workflow = client.getWorkflow('asks');
    const suspended = async () => {
      const run = await workflow.createRun();
      const result = await run.startAsync({ inputData: { q: '続ける？' } });
      expect(result).toMatchObject({
        status: 'suspended',
        suspended: [['ask']],
        suspendPayload: { ask: { asks: { q: '続ける？' } } },
      });
      return run;
    };
    const first = await suspended();
    expect(await workflow.runById(first.runId)).toMatchObject({
      status: 'suspended',
      suspendedPaths: { ask: [1] },
    });
    expect(await first.resumeAsync({ step: 'ask', resumeData: { ok: true } })).toMatchObject({
      status: 'success',
      result: { answered: { ok: true } },
      stepExecutionPath: ['before', 'ask', 'after'],
    });
    const second = await suspended();
    const stream = await second.resumeStream({ step: ['ask'], resumeData: { ok: 1 } });
    const resumed = await events(stream);
    expect(resumed.map(({ type }) => type)).toEqual([
      'workflow-start',
      'workflow-step-result',
      'workflow-step-start',
      'workflow-step-result',
      'workflow-finish',
    ]);
    const third = await suspended();
    await expect(third.resume({ step: 'other', resumeData: {} })).rejects.toMatchObject({ status: 400 });
    expect(await third.resume({ resumeData: { ok: 2 } })).toEqual({ message: 'Workflow run resumed' });
    await until(async () => (await workflow.runById(third.runId)).status === 'success');
    await expect(third.resume({ resumeData: {} })).rejects.toMatchObject({ status: 400 });
  });

  it('cancels a run that sleeps, and one that was never started', async () => {
    await client.upsertDynamicWorkflow(
      complete({ id: 'sleeps', graph: [{ type: 'sleep', id: 'nap', duration: 600_000 }, tool('echo')] }),
    );
    const workflow = client.getWorkflow('sleeps');
    const run = await workflow.createRun();
    await run.start({ inputData: {} });
    const asleep = await until(async () => {
      const found = await workflow.runById(run.runId);
      return found.status === 'waiting' ? found : undefined;
    });
    expect(asleep).toMatchObject({ steps: { nap: { status: 'waiting' } }, waitingPaths: { nap: [0] } });
    expect(await run.cancel()).toEqual({ message: 'Workflow run cancelled' });
    const ended = await until(async () => {
      const found = await workflow.runById(run.runId);
      return found.status === 'canceled' ? found : undefined;
    });
    expect(ended.steps.nap).toMatchObject({ status: 'waiting' });
    const never = await workflow.createRun();
    await never.cancel();
    expect(await workflow.runById(never.runId)).toMatchObject({ status: 'canceled' });
    await expect(never.startAsync({ inputData: {} })).rejects.toMatchObject({ status: 409 });
  });

  it('shows containers, loops and nested workflows in results and streams', async () => {
    await client.upsertDynamicWorkflow({
      ...complete({
        id: 'outer',
        inputSchema: number,
        graph: [
          { type: 'parallel', steps: [tool('left', 'increment'), tool('right', 'increment')] },
          mapping('pick', JSON.stringify({ n: { step: 'left', path: 'n' } })),
          {
            type: 'loop',
            loopType: 'dountil',
            step: tool('again', 'increment'),
            predicate: { op: 'gte', left: { path: 'inputData.n' }, right: { literal: 4 } },
          },
          {
            type: 'conditional',
            steps: [tool('yes', 'echo'), tool('no', 'echo')],
            predicates: [literally(true), literally(false)],
          },
          { type: 'workflow', id: 'call', workflowId: 'inner' },
        ],
      }),
      dependencies: [complete({ id: 'inner', graph: [tool('deep', 'echo')] })],
    });
    const run = await client.getWorkflow('outer').createRun();
    const streamed = await events(await run.stream({ inputData: { n: 1 } }));
    const started = streamed
      .filter(({ type }) => type === 'workflow-step-start')
      .map(({ payload }) => payload.id);
    expect(started).toEqual(['left', 'right', 'pick', 'again', 'again', 'yes', 'call', 'call.deep']);
    const found = await client.getWorkflow('outer').runById(run.runId);
    expect(found).toMatchObject({
      status: 'success',
      result: { yes: { n: 4 } },
      steps: { again: { metadata: { iterationCount: 2 }, output: { n: 4 } }, call: { status: 'success' } },
    });
    expect(found.steps).not.toHaveProperty('no');
    expect(found.steps).not.toHaveProperty('deep');
  });

  it('says what is wrong with a definition', async () => {
    const wrong = complete({ id: 'wrong', graph: [tool('a', 'nope'), tool('a', 'echo')] });
    await expect(client.upsertDynamicWorkflow(wrong)).rejects.toMatchObject({
      status: 500,
      body: {
        error: expect.stringMatching(
          /^Dynamic workflow "wrong" failed validation with 2 issue\(s\):\n- \[duplicate-step-id\] graph\.1\.id: .*\n- \[missing-reference\] graph\.0\.toolId: /,
        ),
      },
    });
    const shapeless = complete({
      id: 'wrong',
      graph: [mapping('m', { x: { value: 1 } }), { type: 'sleep', id: 's' }],
    });
    await expect(client.upsertDynamicWorkflow(shapeless)).rejects.toMatchObject({
      status: 400,
      body: {
        error: 'Invalid request body',
        issues: expect.arrayContaining([
          { field: 'graph.0.mapConfig', message: expect.any(String) },
          { field: 'graph.1.duration', message: expect.any(String) },
        ]),
      },
    });
    await expect(client.getDynamicWorkflow('wrong').details()).rejects.toMatchObject({ status: 404 });
    const [member, reference] = [
      complete({ id: 'fine', graph: [tool('echo')] }),
      complete({ id: 'bad', graph: [{ type: 'workflow', id: 'c', workflowId: 'nowhere' }] }),
    ];
    await expect(
      client.upsertDynamicWorkflow({ ...reference, dependencies: [member] }),
    ).rejects.toMatchObject({ status: 500 });
    // All of a bundle, or none of it.
    await expect(client.getDynamicWorkflow('fine').details()).rejects.toMatchObject({ status: 404 });
  });
});
