import { setTimeout as delay } from 'node:timers/promises';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { Snapshot } from '../../src/engine/runtime.js';
import type { Value } from '../../src/values/value.js';
import { block, call, compute, jq, plan, resultOf, run, type Step, start } from '../support/plans.js';

function forEach(items: Value, steps: Step[], maxConcurrency = 1): Step {
  return {
    kind: 'for_each',
    id: 'each',
    fields: {
      for_each: compute(() => items),
      max_concurrency: maxConcurrency,
      steps: block('steps[0].steps', steps),
    },
  };
}

describe('control steps', () => {
  it('[engine.stop-records-enclosing] ends the workflow through the steps around it', async () => {
    const body = block('steps[0].group', [jq(() => 'stopped'), { kind: 'stop' }, jq(() => 'never')]);
    const group = {
      kind: 'group',
      id: 'outer',
      fields: { group: body },
      output: compute(() => 'not applied'),
    };
    const output = compute((scope) => [scope.value ?? null, scope.step('outer') ?? null]);
    expect(await resultOf(plan([group, jq(() => 'never')], { output }))).toEqual(['stopped', 'stopped']);
  });

  it('[engine.break-ends-innermost] keeps the value at hand as the last result', async () => {
    const inner = [
      jq((scope) => `${scope.loop!.index}`),
      { kind: 'break', when: compute((scope) => scope.loop!.index === 1) },
    ];
    expect(await resultOf(plan([forEach([5, 6, 7], inner)]))).toEqual(['0', '1']);
  });

  it('[engine.loop-stops-on-failure] runs no iteration after one that failed', async () => {
    let runs = 0;
    const body = block('b', [
      call(() => {
        runs += 1;
        if (runs === 3) throw new Error('third');
        return true;
      }),
    ]);
    const loop = { kind: 'while', fields: { while: compute(() => true), max_iterations: 10, steps: body } };
    expect((await run(plan([loop]))).status).toBe('failed');
    expect(runs).toBe(3);
  });

  it.each([1, 4])(
    '[engine.branch-failure-named] names step, item and preview (%i at a time)',
    async (atATime) => {
      const fail = call((input) => {
        if (input === 'p7') throw new Error('bad');
        return input;
      });
      const items = Array.from({ length: 10 }, (_, index) => `p${index}`);
      const result = await run(plan([forEach(items, [fail], atATime)]));
      expect(result).toMatchObject({
        status: 'failed',
        error: { details: { item: 7, path: 'steps[0].steps[0]' } },
      });
      expect(result.status === 'failed' && result.error.message).toContain('[7] ("p7")');
    },
  );

  it('[engine.siblings-cancelled] cancels and awaits the other branches before the failure is reported', async () => {
    const log: string[] = [];
    const slow = call(async (_input, { signal }) => {
      await delay(60_000, undefined, { signal }).catch(() => delay(10));
      log.push('sibling settled');
      return null;
    });
    const fail = call(async () => {
      await delay(5);
      throw new Error('bad');
    });
    const branches = { parallel: { slow: block('slow', [slow]), fail: block('fail', [fail]) } };
    const result = await run(plan([{ kind: 'parallel', fields: branches }]));
    log.push('reported');
    expect(log).toEqual(['sibling settled', 'reported']);
    expect(result).toMatchObject({ status: 'failed', error: { details: { branch: 'fail' } } });
  });

  it('[engine.order-kept] keeps declaration order under reversed latencies', async () => {
    const body = [
      call(async (input) => {
        await delay(20 - (input as number) * 5);
        return input;
      }),
    ];
    expect(await resultOf(plan([forEach([0, 1, 2, 3], body, 4)]))).toEqual([0, 1, 2, 3]);
  });

  it('[engine.position-is-identity] keeps equal ids in separate branches apart', async () => {
    const branch = (value: string) =>
      block(value, [jq(() => value, { id: 'same' }), jq((scope) => scope.step('same'))]);
    const parallel = { kind: 'parallel', fields: { parallel: { left: branch('l'), right: branch('r') } } };
    expect(await resultOf(plan([parallel]))).toEqual({ left: 'l', right: 'r' });
    expect(await resultOf(plan([parallel, jq((scope) => scope.hasStep('same'))]))).toBe(false);
  });

  it('[engine.sequential-equals-concurrent] gives the same value at any concurrency, with and without effects', async () => {
    const item = fc.oneof(
      fc.integer(),
      fc.string(),
      fc.constant(null),
      fc.array(fc.integer(), { maxLength: 3 }),
    );
    await fc.assert(
      fc.asyncProperty(
        fc.array(item, { maxLength: 20 }),
        fc.integer({ min: 2, max: 9 }),
        fc.boolean(),
        async (items, many, effects) => {
          const work = effects
            ? call(async (input) => ({ input: input ?? null }))
            : jq((scope) => ({ input: scope.value ?? null }));
          const body = [
            { ...work, id: 'made' },
            jq((scope) => [scope.step('made') ?? null, scope.loop!.index, scope.loop!.item ?? null]),
          ];
          const sequential = await resultOf(plan([forEach(items, body)]));
          expect(await resultOf(plan([forEach(items, body, many)]))).toEqual(sequential);
        },
      ),
      { numRuns: 60 },
    );
  });

  it('[engine.stays-responsive] lets an endless pure loop be cancelled', async () => {
    const body = block('b', [jq((scope) => scope.value)]);
    const loop = { kind: 'while', fields: { while: compute(() => true), max_iterations: 1e9, steps: body } };
    const handle = start(plan([loop]));
    setTimeout(() => handle.cancel(), 30);
    expect((await handle.settled()).status).toBe('cancelled');
  });

  it('[engine.one-call-per-branch] refuses a second call while one runs in the same branch', async () => {
    const { MemoryRun } = await import('../../src/engine/runtimes/memory.js');
    const { CancelScope } = await import('../../src/engine/cancel-scope.js');
    const { root } = new MemoryRun();
    const cancel = new CancelScope();
    const first = root.step('a', async () => delay(5).then(() => ({ value: 1 })), {
      cancel,
      keyAddress: 'a',
    });
    await expect(root.step('b', async () => ({ value: 2 }), { cancel, keyAddress: 'b' })).rejects.toThrow(
      "'b' was called while 'a' runs",
    );
    expect(await first).toEqual({ value: 1 });
  });

  it('[engine.snapshot-continues] goes on behind a snapshot with the recorded values', async () => {
    const ran: string[] = [];
    const append = (id: string) =>
      call(
        (input) => {
          ran.push(id);
          return `${input}${id}`;
        },
        { id },
      );
    const steps = ['a', 'b', 'c'].map(append);
    const output = compute((scope) => ({ value: scope.value ?? null, steps: scope.allSteps() }));
    const snapshots: unknown[] = [];
    const what = plan(steps, { output });
    const whole = await resultOf(what, '-', {
      onSnapshot: async (snapshot) => void snapshots.push(structuredClone(snapshot)),
    });
    ran.length = 0;
    expect(await resultOf(what, 'ignored', { from: snapshots[1] as never })).toEqual(whole);
    expect(ran).toEqual(['c']);
  });

  it('[engine.snapshot-continues] a step that gave null is followed by null, not by the input of the run', async () => {
    const steps = [call(() => null, { id: 'a' }), call((input) => ({ got: input ?? null }), { id: 'b' })];
    const snapshots: Snapshot[] = [];
    const whole = await resultOf(plan(steps), 'input', {
      onSnapshot: async (snapshot) => void snapshots.push(snapshot),
    });
    expect(whole).toEqual({ got: null });
    expect(await resultOf(plan(steps), 'input', { from: snapshots[0]! })).toEqual(whole);
  });
});
