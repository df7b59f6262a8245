import { expect, it } from 'vitest';
import { defineTool } from '../../../src/index.js';
import { complete, host, literally, mapping, tool } from './host.js';

it('[dynamic.kept-runs] a kept run waits for its answer, goes on with it, and repeats nothing', async () => {
  let calls = 0;
  const count = defineTool({
    inputSchema: {},
    outputSchema: {},
    execute: (input) => {
      calls += 1;
      return input;
    },
  });
  const lait = await host({ tools: { count } });
  await lait.addDynamicWorkflows([
    complete({ id: 'child', graph: [tool('inner', 'ask')] }),
    complete({
      graph: [
        tool('before', 'count'),
        {
          type: 'conditional',
          steps: [tool('yes', 'nothing'), tool('no', 'fail')],
          predicates: [literally(true), literally(false)],
        },
        { type: 'sleep', id: 'z', duration: 1 },
        {
          type: 'parallel',
          steps: [{ type: 'workflow', id: 'call', workflowId: 'child' }, tool('beside', 'count')],
        },
        mapping('m', { answer: { step: 'call', path: '.' }, given: { initData: true, path: '.' } }),
      ],
    }),
  ]);
  const runs = await lait.runs();
  const { run_id } = await runs.create(lait.getWorkflow('w').plan, { inputs: { n: 1 } });
  await runs.drive(run_id);
  const waiting = await runs.view(run_id);
  expect(waiting.run.status).toBe('waiting_hitl');
  await runs.answer(run_id, { yes: true });
  const ended = await runs.drive(run_id);
  expect(ended.status).toBe('completed');
  const { run } = await runs.view(run_id);
  expect(run).toMatchObject({ status: 'completed' });
  expect(JSON.stringify(run)).toContain('"answered":{"yes":true}');
  expect(calls).toBe(2);
});
