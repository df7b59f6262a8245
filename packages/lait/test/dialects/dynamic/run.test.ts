import { describe, expect, it } from 'vitest';
import { defineTool, type StreamEvent } from '../../../src/index.js';
import { complete, host, literally, mapping, resultOf, run, tool } from './host.js';

const any = {};
const numbers = { type: 'array', items: { type: 'number' } };

describe('results', () => {
  it('[dynamic.result-shape] hold every step that ran, the path of the top level, and nothing of what did not', async () => {
    const outcome = await run(
      {
        graph: [
          tool('first', 'echo'),
          { type: 'sleep', id: 'z', duration: 1 },
          {
            type: 'conditional',
            steps: [tool('yes', 'echo'), tool('no', 'fail')],
            predicates: [literally(true), literally(false)],
          },
          { type: 'loop', loopType: 'dountil', step: tool('again', 'nothing'), predicate: literally(true) },
          mapping('last', { n: { initData: true, path: '.' } }),
        ],
      },
      { inputData: { n: 1 } },
    );
    expect(outcome).toMatchObject({ status: 'success', input: { n: 1 }, result: { n: { n: 1 } } });
    expect(outcome.stepExecutionPath).toEqual(['first', 'z', 'last']);
    expect(Object.keys(outcome.steps)).toEqual(['input', 'first', 'z', 'yes', 'again', 'last']);
    expect(outcome.steps.first).toEqual({
      status: 'success',
      output: { n: 1 },
      startedAt: expect.any(Number),
      endedAt: expect.any(Number),
    });
    expect(outcome.steps.yes).toMatchObject({ status: 'success', payload: { n: 1 } });
    expect(outcome.steps.again).toMatchObject({ status: 'success', metadata: { iterationCount: 1 } });
  });

  it('of failures have the message of the step, its error name and no place in front', async () => {
    const outcome = await run(
      { graph: [{ type: 'parallel', steps: [tool('a', 'echo'), tool('b', 'fail')] }, tool('c', 'echo')] },
      { inputData: 1 },
    );
    expect(outcome).toMatchObject({
      status: 'failed',
      error: { message: 'boom', name: 'TypeError' },
      steps: { b: { status: 'failed', error: { message: 'boom' } } },
    });
    expect(outcome.steps).not.toHaveProperty('c');
  });

  it('name what a step was given when it does not fit, and reject a start whose input does not', async () => {
    const outcome = await run({ graph: [tool('i', 'increment')] }, { inputData: { n: 'x' } });
    expect(outcome).toMatchObject({
      status: 'failed',
      error: {
        message: 'Step input validation failed: \n- n: Invalid input: expected number, received string',
      },
    });
    const inputSchema = {
      type: 'object',
      properties: { o: { type: 'object', properties: { x: { type: 'integer' } }, required: ['x'] } },
      required: ['o'],
    };
    await expect(
      run({ inputSchema, graph: [tool('e', 'echo')] }, { inputData: { o: { x: 1.5 } } }),
    ).rejects.toMatchObject({
      category: 'usage',
      message: 'Invalid input data: \n- o.x: Invalid input: expected int, received number',
    });
    const stateSchema = { type: 'object', properties: { n: { type: 'number' } }, required: ['n'] };
    await expect(run({ stateSchema, graph: [tool('e', 'echo')] })).rejects.toThrow(
      'Invalid initial data: \n- n: Invalid input: expected number, received undefined',
    );
    const requestContextSchema = {
      type: 'object',
      properties: { user: { type: 'string' } },
      required: ['user'],
    };
    await expect(run({ requestContextSchema, graph: [tool('e', 'echo')] })).rejects.toThrow(
      "Request context validation failed for workflow 'w'",
    );
  });

  it('of a tool that breaks its own schema are an object that says so, and a failure under strictSchemas', async () => {
    const tools = {
      wrong: defineTool({
        inputSchema: any,
        outputSchema: { type: 'object', properties: { n: { type: 'number' } } },
        execute: () => ({ n: 'x' }) as never,
      }),
    };
    const outcome = await run({ graph: [tool('t', 'wrong')] }, {}, { tools });
    expect(resultOf(outcome)).toMatchObject({
      error: true,
      message: expect.stringMatching(
        /^Tool output validation failed for wrong\. .*\n- n: Invalid input: expected number, received string\n\nReturned output: \{/,
      ),
      validationErrors: {
        errors: [],
        fields: { n: { errors: ['Invalid input: expected number, received string'], fields: {} } },
      },
    });
    expect(await run({ graph: [tool('t', 'wrong')] }, {}, { tools, strictSchemas: true })).toMatchObject({
      status: 'failed',
    });
  });

  it('cannot be had from a tool without schemas', async () => {
    const tools = { open: defineTool({ execute: () => 1 }) };
    await expect(run({ graph: [tool('o', 'open')] }, {}, { tools })).rejects.toThrow(
      /^Tool must have input and output schemas defined: give 'open' an inputSchema and an outputSchema/,
    );
  });
});

describe('state and request context', () => {
  const write = (key: string, ms = 0) =>
    defineTool({
      inputSchema: any,
      outputSchema: any,
      execute: async (_, context) => {
        await new Promise((resolve) => setTimeout(resolve, ms));
        context.setState({ [key]: ms });
      },
    });

  it('[dynamic.state-merged] writes of branches are all kept, and reach nested workflows and predicates', async () => {
    const outcome = await run(
      [
        complete({ id: 'child', graph: [tool('c', 'c')] }),
        {
          graph: [
            {
              type: 'parallel',
              steps: [tool('a', 'a'), tool('b', 'b'), { type: 'workflow', id: 'w', workflowId: 'child' }],
            },
            {
              type: 'conditional',
              steps: [tool('e', 'nothing')],
              predicates: [{ op: 'eq', left: { path: 'state.given' }, right: { literal: 7 } }],
            },
            mapping('m', { all: { template: '${state}' } }),
          ],
        },
      ],
      { initialState: { given: 1 } },
      { tools: { a: write('given', 7), b: write('b', 1), c: write('c') } },
    );
    expect(JSON.parse((resultOf(outcome) as { all: string }).all)).toEqual({ given: 7, b: 1, c: 0 });
    expect(outcome.steps).toHaveProperty('e');
  });

  it('what a failed attempt wrote is gone; retries are further attempts, a negative number leaves none', async () => {
    let calls = 0;
    const flaky = defineTool({
      inputSchema: any,
      outputSchema: any,
      execute: (_, context) => {
        calls += 1;
        const seen = context.state;
        context.setState({ tried: calls });
        if (calls < 3) throw new Error(`attempt ${calls}`);
        return seen;
      },
    });
    const graph = (retries: number) => [{ ...tool('f', 'flaky'), options: { retries } }];
    expect(resultOf(await run({ graph: graph(2) }, { initialState: {} }, { tools: { flaky } }))).toEqual({});
    expect(calls).toBe(3);
    calls = 0;
    expect(await run({ graph: graph(1) }, {}, { tools: { flaky } })).toMatchObject({
      status: 'failed',
      error: { message: 'attempt 2' },
    });
    expect(await run({ graph: graph(-1) }, {}, { tools: { flaky } })).toMatchObject({
      status: 'failed',
      error: { message: expect.stringMatching(/^Unknown error/) },
    });
    expect(calls).toBe(2);
  });

  it('the request context is flat, from an object, a Map or entries', async () => {
    const graph = [
      mapping('m', {
        a: { requestContextPath: 'user.id' },
        b: { template: '${requestContext.user.id}|${requestContext.gone}' },
      }),
    ];
    for (const requestContext of [
      { 'user.id': 9 },
      new Map([['user.id', 9]]),
      { entries: () => [['user.id', 9]] as [string, unknown][] },
    ]) {
      expect(resultOf(await run({ graph }, { requestContext }))).toEqual({ a: 9, b: '9|' });
    }
  });

  it('a tool may change what it gets: nobody else sees it', async () => {
    const spoil = defineTool({
      inputSchema: any,
      outputSchema: any,
      execute: (input, context) => {
        (input as { n: number }).n = 99;
        context.state.x = 99;
        return 'done';
      },
    });
    const outcome = await run(
      {
        graph: [
          tool('s', 'spoil'),
          mapping('m', { n: { template: '${initData.n}' }, x: { template: '${state.x}' } }),
        ],
      },
      { inputData: { n: 1 }, initialState: { x: 1 } },
      { tools: { spoil } },
    );
    expect(resultOf(outcome)).toEqual({ n: '1', x: '1' });
  });
});

describe('suspending', () => {
  it('[dynamic.suspend-resume] a tool suspends its run, which goes on with the answer and repeats nothing before it', async () => {
    let echoes = 0;
    const count = defineTool({
      inputSchema: any,
      outputSchema: any,
      execute: (input) => {
        echoes += 1;
        return input;
      },
    });
    const lait = await host({ tools: { count } });
    await lait.addDynamicWorkflows([
      complete({ id: 'child', graph: [tool('before', 'count'), tool('inner', 'ask')] }),
      complete({
        graph: [
          {
            type: 'parallel',
            steps: [
              { type: 'workflow', id: 'x', workflowId: 'child' },
              tool('other', 'ask'),
              tool('c', 'count'),
            ],
          },
        ],
      }),
    ]);
    const created = await lait.getWorkflow('w').createRun();
    const parked = await created.start({ inputData: 'q' });
    expect(parked).toMatchObject({
      status: 'suspended',
      suspended: [['x', 'inner'], ['other']],
      suspendPayload: { x: { asks: 'q' }, other: { asks: 'q' } },
      steps: { x: { status: 'suspended' }, c: { status: 'success' } },
    });
    await expect(created.resume({ resumeData: 1 })).rejects.toThrow(
      /several steps are suspended; name one; suspended: x\.inner, other/,
    );
    await expect(created.resume({ step: 'c', resumeData: 1 })).rejects.toMatchObject({
      code: 'step_not_suspended',
    });
    expect(await created.resume({ step: ['x', 'inner'], resumeData: { yes: true } })).toMatchObject({
      status: 'suspended',
      suspended: [['other']],
    });
    const ended = await created.resume({ step: 'other', resumeData: false });
    expect(resultOf(ended)).toEqual({ x: { answered: { yes: true } }, other: { answered: false }, c: 'q' });
    expect(echoes).toBe(2);
    await expect(created.resume({})).rejects.toMatchObject({ code: 'run_not_suspended' });
  });

  it('elements of a foreach are resumed one by one', async () => {
    const lait = await host();
    await lait.addDynamicWorkflow(
      complete({ graph: [{ type: 'foreach', step: tool('each', 'ask'), opts: { concurrency: 2 } }] }),
    );
    const created = await lait.getWorkflow('w').createRun();
    expect(await created.start({ inputData: ['a', 'b'] })).toMatchObject({
      status: 'suspended',
      suspended: [['each']],
    });
    await created.resume({ step: 'each', resumeData: 'second', forEachIndex: 1 });
    expect(resultOf(await created.resume({ resumeData: 'first' }))).toEqual([
      { answered: 'first' },
      { answered: 'second' },
    ]);
  });

  it('a suspended run can be cancelled, and started again', async () => {
    const lait = await host();
    await lait.addDynamicWorkflow(complete({ graph: [tool('a', 'ask')] }));
    const created = await lait.getWorkflow('w').createRun();
    await created.start({ inputData: 1 });
    await created.cancel();
    await expect(created.resume({})).rejects.toMatchObject({ code: 'run_not_suspended' });
    expect(await created.start({ inputData: 2 })).toMatchObject({
      status: 'suspended',
      suspendPayload: { a: { asks: 2 } },
    });
    await created.cancel();
  });
});

describe('streams', () => {
  async function events(definitions: Record<string, unknown>[], inputData: unknown) {
    const lait = await host();
    await lait.addDynamicWorkflows(definitions.map(complete));
    const created = await lait.getWorkflow('w').createRun();
    const stream = created.stream({ inputData });
    const seen: StreamEvent[] = [];
    for await (const event of stream) seen.push(event);
    return { seen, result: await stream.result, status: stream.status };
  }
  const names = (seen: readonly StreamEvent[]) =>
    seen.map(
      ({ type, payload }) =>
        `${type.replace('workflow-', '')} ${String(payload.id ?? payload.workflowStatus ?? payload.workflowId)}`,
    );

  it('[dynamic.stream-shape] tell what happens: starts before results, containers silent, nested steps under their call', async () => {
    const { seen, result, status } = await events(
      [
        { id: 'child', graph: [tool('inner', 'echo')] },
        {
          inputSchema: numbers,
          graph: [
            { type: 'foreach', step: tool('each', 'double') },
            { type: 'sleep', id: 'z', duration: 1 },
            {
              type: 'parallel',
              steps: [tool('a', 'echo'), { type: 'workflow', id: 'call', workflowId: 'child' }],
            },
          ],
        },
      ],
      [1, 2],
    );
    // What happens in branches that run side by side has no order between them.
    const ofFirstBranch = (name: string) => name.endsWith(' a');
    expect(names(seen).filter((name) => !ofFirstBranch(name))).toEqual([
      'start w',
      'step-start each',
      'step-progress each',
      'step-progress each',
      'step-result each',
      'step-start z',
      'step-waiting z',
      'step-result z',
      'step-start call',
      'step-start call.inner',
      'step-result call.inner',
      'step-result call',
      'finish success',
    ]);
    expect(names(seen).filter(ofFirstBranch)).toEqual(['step-start a', 'step-result a']);
    expect(seen[2]!.payload).toMatchObject({
      completedCount: 1,
      totalCount: 2,
      currentIndex: 0,
      iterationStatus: 'success',
      iterationOutput: 2,
    });
    expect(seen.at(-1)!.payload).toMatchObject({
      finalWorkflowResult: { a: [2, 4], call: [2, 4] },
      output: { usage: { totalTokens: 0 } },
    });
    expect([status, result.status]).toEqual(['success', 'success']);
    expect(new Set(seen.map(({ runId }) => runId)).size).toBe(1);
  });

  it('end as failed without steps when the input does not fit', async () => {
    const { seen, result } = await events([{ inputSchema: numbers, graph: [tool('e', 'echo')] }], 'x');
    expect(names(seen)).toEqual(['start w', 'finish failed']);
    expect(result).toMatchObject({
      status: 'failed',
      error: { message: expect.stringContaining('expected array, received string') },
    });
  });

  it('can be read twice, and by someone who comes late', async () => {
    const lait = await host();
    await lait.addDynamicWorkflow(complete({ graph: [tool('e', 'ask')] }));
    const created = await lait.getWorkflow('w').createRun();
    const stream = created.stream({ inputData: 1 });
    expect((await stream.result).status).toBe('suspended');
    const read = async () => {
      const seen: StreamEvent[] = [];
      for await (const event of stream.fullStream) seen.push(event);
      return names(seen);
    };
    expect(await read()).toEqual(['start w', 'step-start e', 'step-suspended e', 'finish suspended']);
    expect(await read()).toEqual(await read());
    await created.cancel();
  });
});
