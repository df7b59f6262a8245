import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { dynamicApi } from '../../../src/server/compatible/dynamic/dynamic-api.js';
import { v1 } from '../../../src/server/v1.js';
import { defineTool } from '../../../src/tools/define-tool.js';
import { complete, literally, mapping, tool, tools } from '../../dialects/dynamic/host.js';
import { type PostgresCluster, postgresAbsent, startPostgres } from '../../support/postgres.js';
import { type DynamicClient, dynamicClient, isClientInstalled } from '../client-js/client.js';
import { startTestServer, type TestServer, until } from '../support/test-server.js';

const number = { type: 'object', properties: { n: { type: 'number' } }, required: ['n'] };
const steps = complete({
  id: 'steps',
  inputSchema: number,
  outputSchema: number,
  graph: [tool('first', 'count'), tool('second', 'count'), tool('third', 'count')],
});

const timeless = (record: object) =>
  JSON.parse(JSON.stringify(record, (key, value) => (/(ed|d)At$/.test(key) ? undefined : value)));

const engines = postgresAbsent === undefined ? ['SQLite', 'PostgreSQL'] : ['SQLite'];

// Without the library (npm ci in test/server/client-js) these are reported as skipped.
describe.skipIf(!isClientInstalled).each(engines)('with %s', (engine) => {
  let server: TestServer;
  let client: DynamicClient;
  /** Inputs of the tool that counts, in the order of its calls. */
  let calls: number[] = [];
  /** The tool fails while this holds. */
  let isBroken = false;

  let cluster: PostgresCluster | undefined;
  beforeAll(async () => {
    if (engine === 'PostgreSQL') cluster = await startPostgres();
    const count = defineTool({
      inputSchema: number,
      outputSchema: number,
      execute: async (input, context) => {
        const { n } = input as { n: number };
        if (isBroken && n === 2) throw new Error('out of order');
        calls.push(n);
        const { seen = [] } = context.state as { seen?: number[] };
        context.setState({ seen: [...seen, n] });
        return { n: n + 1 };
      },
    });
    const recall = defineTool({
      inputSchema: {},
      outputSchema: {},
      execute: (_input, context) => context.state as never,
    });
    server = await startTestServer({
      groups: [v1, dynamicApi],
      ...(cluster !== undefined && { database: cluster.url }),
      // Whatever is to go on by itself does so soon.
      settings: { leaseMs: 500 },
      services: { tools: { ...tools, count, recall } } as never,
    });
    client = await dynamicClient(server.url);
    await client.upsertDynamicWorkflow(steps);
  }, 60_000);
  afterAll(async () => {
    await server.stop();
    await cluster?.stop();
  });
  beforeEach(() => {
    calls = [];
    isBroken = false;
  });

  describe.skipIf(!isClientInstalled)(
    '[server.time-travel] time travel by the dynamic form’s own client',
    () => {
      it('begins again at a step: what came before is taken from the record and not done again', async () => {
        const workflow = client.getWorkflow('steps');
        const run = await workflow.createRun({ resourceId: 'traveller' });
        isBroken = true;
        expect(await run.startAsync({ inputData: { n: 1 } })).toMatchObject({ status: 'failed' });
        expect(calls).toEqual([1]);
        isBroken = false;
        const mended = await run.timeTravelAsync({ step: 'second' });
        expect(mended).toMatchObject({
          status: 'success',
          result: { n: 4 },
          runId: run.runId,
          input: { n: 1 },
          stepExecutionPath: ['first', 'second', 'third'],
          steps: { first: { status: 'success', output: { n: 2 } }, second: { output: { n: 3 } } },
        });
        expect(calls).toEqual([1, 2, 3]);
        // The client's id shows where the journey led; every run is kept in the server's own interface.
        expect(await workflow.runById(run.runId)).toMatchObject({
          status: 'success',
          result: { n: 4 },
          resourceId: 'traveller',
        });
        const listed = await workflow.runs({ resourceId: 'traveller' });
        expect(listed).toMatchObject({
          total: 1,
          runs: [{ runId: run.runId, snapshot: { status: 'success' } }],
        });
        const { body } = await server.call('GET', '/v1/runs?workflow=steps&limit=2');
        expect(body.items[0]).toMatchObject({ status: 'completed', source_run_id: run.runId });
        expect(body.items[1]).toMatchObject({ status: 'failed', run_id: run.runId });
      });

      it('takes other input, other results and another state, time after time', async () => {
        const workflow = client.getWorkflow('steps');
        const run = await workflow.createRun();
        await run.startAsync({ inputData: { n: 1 } });
        calls = [];
        expect(await run.timeTravelAsync({ step: 'third', inputData: { n: 10 } })).toMatchObject({
          result: { n: 11 },
          steps: { first: { output: { n: 2 } }, second: { output: { n: 10 } } },
        });
        const context = {
          second: { status: 'success', payload: { n: 2 }, output: { n: 20 }, startedAt: 5, endedAt: 6 },
        };
        expect(await run.timeTravelAsync({ step: 'third', context })).toMatchObject({
          result: { n: 21 },
          steps: { second: { output: { n: 20 }, startedAt: 5, endedAt: 6 } },
        });
        // Back to before the place where the run of the last journey began.
        expect(await run.timeTravelAsync({ step: 'second' })).toMatchObject({ result: { n: 4 } });
        expect(await run.timeTravelAsync({ step: 'first', inputData: { n: 7 } })).toMatchObject({
          input: { n: 7 },
          result: { n: 10 },
        });
        expect(calls).toEqual([10, 20, 2, 3, 7, 8, 9]);
        await expect(run.timeTravelAsync({ step: 'first', inputData: { n: 'x' } })).rejects.toMatchObject({
          status: 400,
        });
        expect(await workflow.runById(run.runId)).toMatchObject({ result: { n: 10 } });
        expect(await workflow.deleteRunById(run.runId)).toEqual({ message: 'Workflow run deleted' });
        expect((await workflow.runs()).runs.map(({ runId }: { runId: string }) => runId)).not.toContain(
          run.runId,
        );
        await expect(workflow.runById(run.runId)).rejects.toMatchObject({ status: 404 });
      });

      it('goes on with the state as it was before the step, or with another one', async () => {
        await client.upsertDynamicWorkflow(
          complete({
            id: 'recalls',
            inputSchema: number,
            graph: [tool('a', 'count'), tool('b', 'count'), tool('recall')],
          }),
        );
        const run = await client.getWorkflow('recalls').createRun();
        expect(await run.startAsync({ inputData: { n: 1 }, initialState: { seen: [0] } })).toMatchObject({
          result: { seen: [0, 1, 2] },
        });
        expect(await run.timeTravelAsync({ step: 'b', inputData: { n: 5 } })).toMatchObject({
          result: { seen: [0, 1, 5] },
        });
        expect(await run.timeTravelAsync({ step: 'b', initialState: { seen: [9] } })).toMatchObject({
          result: { seen: [9, 5] },
        });
      });

      it('goes on with the workflows that the run began with [waiting.pinned]', async () => {
        const child = (key: string) =>
          complete({ id: 'child', inputSchema: number, outputSchema: number, graph: [tool('in', key)] });
        const parent = { id: 'parent', inputSchema: number, outputSchema: number };
        const call = { type: 'workflow', id: 'call', workflowId: 'child' };
        await client.upsertDynamicWorkflow(child('count'));
        await client.upsertDynamicWorkflow(complete({ ...parent, graph: [tool('first', 'count'), call] }));
        const run = await client.getWorkflow('parent').createRun();
        expect(await run.startAsync({ inputData: { n: 1 } })).toMatchObject({ result: { n: 3 } });
        await client.upsertDynamicWorkflow(child('recall'));
        expect(await run.timeTravelAsync({ step: 'call' })).toMatchObject({ result: { n: 3 } });
      });

      it('begins in the middle of a run that was never started', async () => {
        const workflow = client.getWorkflow('steps');
        const run = await workflow.createRun();
        const context = { first: { payload: { n: 0 }, output: { n: 1 } } };
        expect(await run.timeTravelAsync({ step: 'third', context, inputData: { n: 5 } })).toMatchObject({
          status: 'success',
          input: { n: 0 },
          result: { n: 6 },
          runId: run.runId,
          steps: { first: { output: { n: 1 } }, second: { output: { n: 5 } } },
        });
        expect(calls).toEqual([5]);
      });

      it('streams what happens from the step on, or does not wait', async () => {
        const run = await client.getWorkflow('steps').createRun();
        await run.startAsync({ inputData: { n: 1 } });
        const told: { type: string; payload: { id?: string } }[] = [];
        for await (const event of await run.timeTravelStream({ step: 'second' })) told.push(event);
        expect(
          told.flatMap(({ type, payload }) => (type === 'workflow-step-start' ? payload.id : [])),
        ).toEqual(['second', 'third']);
        expect(told.at(-1)).toMatchObject({ type: 'workflow-finish', runId: run.runId });
        expect(await run.timeTravel({ step: 'third', inputData: { n: 30 } })).toEqual({
          message: 'Workflow run time travel started',
        });
        await until(async () => {
          const { status, result } = await client.getWorkflow('steps').runById(run.runId);
          return status === 'success' && result.n === 31;
        });
      });

      it('says what is wrong with a journey, and changes nothing', async () => {
        const workflow = client.getWorkflow('steps');
        const run = await workflow.createRun();
        isBroken = true;
        await run.startAsync({ inputData: { n: 1 } });
        for (const [body, message] of [
          [
            { step: 'nowhere' },
            /not found in execution graph: 'nowhere'. The steps are: first, second, third/,
          ],
          [{ step: 'third' }, /has not finished 'second' before it/],
          [{ step: 'second.inner' }, /Cannot time travel into 'second'/],
          [{ step: ['second', 'inner'] }, /Cannot time travel into 'second'/],
          [{ step: 'second', resumeData: {} }, /'second' is not suspended/],
          [{ step: [] }, /Invalid request body/],
          [{ step: '__proto__' }, /not found/],
        ] as const)
          await expect(run.timeTravelAsync(body)).rejects.toMatchObject({
            status: 400,
            body: { error: expect.stringMatching(message) },
          });
        expect(await workflow.runById(run.runId)).toMatchObject({ status: 'failed' });
        expect((await server.call('GET', `/v1/runs?workflow=steps&limit=1`)).body.items[0].run_id).toBe(
          run.runId,
        );
        const never = `${server.url}/api/workflows/steps/time-travel?runId=never`;
        const post = (url: string) =>
          fetch(url, {
            method: 'POST',
            headers: { 'content-type': 'application/json' },
            body: '{"step":"second"}',
          });
        expect((await post(never)).status).toBe(404);
        expect((await post(`${server.url}/api/workflows/other/time-travel?runId=${run.runId}`)).status).toBe(
          404,
        );
      });

      it('answers a suspended step anew, and leaves nobody asked for what is past', async () => {
        await client.upsertDynamicWorkflow(
          complete({ id: 'asking', graph: [tool('before', 'echo'), tool('ask'), tool('after', 'echo')] }),
        );
        const run = await client.getWorkflow('asking').createRun();
        expect(await run.startAsync({ inputData: { q: 1 } })).toMatchObject({ status: 'suspended' });
        const inbox = async () => (await server.call('GET', '/v1/inbox?workflow=asking')).body.questions;
        expect(await inbox()).toHaveLength(1);
        const resumed = await run.timeTravelAsync({
          step: 'ask',
          inputData: { q: 2 },
          resumeData: { ok: '👍' },
        });
        expect(resumed).toMatchObject({ status: 'success', result: { answered: { ok: '👍' } } });
        expect(await inbox()).toHaveLength(0);
      });

      it('gives the same result from every step of a workflow, whatever is in it', async () => {
        await client.upsertDynamicWorkflow({
          ...complete({
            id: 'composite',
            inputSchema: number,
            graph: [
              { type: 'parallel', steps: [tool('left', 'count'), tool('right', 'count')] },
              { type: 'sleep', id: 'nap', duration: 1 },
              mapping('pick', JSON.stringify({ n: { step: 'left', path: 'n' } })),
              {
                type: 'loop',
                loopType: 'dountil',
                step: tool('again', 'count'),
                predicate: { op: 'gte', left: { path: 'inputData.n' }, right: { literal: 4 } },
              },
              {
                type: 'conditional',
                steps: [tool('yes', 'echo'), tool('no', 'echo')],
                predicates: [literally(true), literally(false)],
              },
              { type: 'workflow', id: 'call', workflowId: 'composite-inner' },
              mapping('list', JSON.stringify({ list: { value: [{ n: 1 }, { n: 2 }] } })),
              mapping(
                'all',
                JSON.stringify({
                  left: { step: 'left', path: 'n' },
                  pick: { step: 'pick', path: 'n' },
                  again: { step: 'again', path: 'n' },
                  yes: { step: 'yes', path: '.' },
                  call: { step: 'call', path: '.' },
                  list: { step: 'list', path: 'list' },
                  input: { initData: true, path: 'n' },
                }),
              ),
            ],
          }),
          dependencies: [complete({ id: 'composite-inner', graph: [tool('deep', 'echo')] })],
        });
        const run = await client.getWorkflow('composite').createRun();
        const original = await run.startAsync({ inputData: { n: 1 } });
        expect(original).toMatchObject({ status: 'success', result: { left: 2, again: 4, input: 1 } });
        for (const step of ['all', 'list', 'call', 'yes', 'again', 'pick', 'nap', 'left']) {
          const fresh = await client.getWorkflow('composite').createRun();
          await fresh.startAsync({ inputData: { n: 1 } });
          // From a run that has gone from its beginning to its end, and from one that began in its middle.
          for (const traveller of [fresh, run]) {
            const again = await traveller.timeTravelAsync({ step });
            expect(again.result, step).toEqual(original.result);
            expect(again.stepExecutionPath, step).toEqual(original.stepExecutionPath);
            expect(timeless(again.steps), step).toEqual(timeless(original.steps));
          }
        }
      });
    },
  );

  describe('[server.per-step] runs that pause behind every step', () => {
    it('pause, and go on with a restart', async () => {
      const workflow = client.getWorkflow('steps');
      const run = await workflow.createRun();
      const paused = await run.startAsync({ inputData: { n: 1 }, perStep: true });
      expect(paused).toMatchObject({ status: 'paused', steps: { first: { output: { n: 2 } } } });
      expect(paused.steps).not.toHaveProperty('second');
      expect(calls).toEqual([1]);
      expect(await workflow.runById(run.runId)).toMatchObject({ status: 'paused', suspendedPaths: {} });
      // A run that pauses waits for its client, however long the server works.
      await new Promise((resolve) => setTimeout(resolve, 1200));
      expect(calls).toEqual([1]);
      expect(await run.restartAsync()).toMatchObject({ status: 'success', result: { n: 4 } });
      expect(calls).toEqual([1, 2, 3]);
    });

    it('go step by step through time, and end behind the last step', async () => {
      const workflow = client.getWorkflow('steps');
      const run = await workflow.createRun();
      const told: { type: string; payload: { workflowStatus?: string } }[] = [];
      for await (const event of await run.stream({ inputData: { n: 1 }, perStep: true })) told.push(event);
      expect(told.at(-1)).toMatchObject({ type: 'workflow-finish', payload: { workflowStatus: 'paused' } });
      expect(await run.timeTravelAsync({ step: 'second', perStep: true })).toMatchObject({
        status: 'paused',
        steps: { first: { output: { n: 2 } }, second: { output: { n: 3 } } },
      });
      expect(await run.timeTravelAsync({ step: 'third', perStep: true })).toMatchObject({
        status: 'success',
        result: { n: 4 },
      });
      expect(calls).toEqual([1, 2, 3]);
    });

    it('pause behind the step that was resumed', async () => {
      await client.upsertDynamicWorkflow(
        complete({ id: 'asks-twice', graph: [tool('ask'), tool('between', 'echo'), tool('after', 'echo')] }),
      );
      const run = await client.getWorkflow('asks-twice').createRun();
      expect(await run.startAsync({ inputData: {} })).toMatchObject({ status: 'suspended' });
      const paused = await run.resumeAsync({ step: 'ask', resumeData: { ok: 1 }, perStep: true });
      expect(paused).toMatchObject({ status: 'paused', steps: { ask: { output: { answered: { ok: 1 } } } } });
      expect(paused.steps).not.toHaveProperty('between');
      expect(await run.restartAsync()).toMatchObject({ status: 'success', result: { answered: { ok: 1 } } });
    });

    it('are resumed where they are suspended, also at once after a call that does not wait', async () => {
      await client.upsertDynamicWorkflow(
        complete({ id: 'asks-later', graph: [tool('before', 'echo'), tool('ask'), tool('after', 'echo')] }),
      );
      const workflow = client.getWorkflow('asks-later');
      const run = await workflow.createRun();
      expect(await run.startAsync({ inputData: {}, perStep: true })).toMatchObject({ status: 'paused' });
      // Nothing is asked yet: a run that has paused goes on by a restart, or step by step through time.
      await expect(run.resumeAsync({ step: 'ask', resumeData: { ok: 1 } })).rejects.toMatchObject({
        status: 400,
        body: { error: expect.stringContaining('This workflow run was not suspended') },
      });
      expect(await run.timeTravelAsync({ step: 'ask', perStep: true })).toMatchObject({
        status: 'suspended',
      });
      expect(await run.resumeAsync({ step: 'ask', resumeData: { ok: 1 }, perStep: true })).toMatchObject({
        status: 'paused',
        steps: { ask: { output: { answered: { ok: 1 } } } },
      });
      const other = await workflow.createRun();
      await other.start({ inputData: {} });
      expect(await other.resumeAsync({ step: 'ask', resumeData: { ok: 2 } })).toMatchObject({
        status: 'success',
        result: { answered: { ok: 2 } },
      });
    });
  });
});
