import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { JournalEntry } from '../../src/engine/journal.js';
import { RecordedRun } from '../../src/engine/runtimes/recorded.js';
import { messageChain } from '../../src/errors/lait-error.js';
import type { Plan } from '../../src/plan/plan.js';
import { MemoryJournal } from '../support/memory-journal.js';
import { block, call, compute, jq, plan, resultOf, run, type Step, start } from '../support/plans.js';

const recorded = (journal: MemoryJournal) => new RecordedRun({ runId: 'run', journal });

/** A plan that uses every way to run a block, and counts its effects by what they were given. */
function mixed(calls: string[], crashAfter = Number.POSITIVE_INFINITY): Plan {
  let made = 0;
  const effect = (name: string, rest: Partial<Step> = {}) =>
    call((input) => {
      made += 1;
      if (made > crashAfter) return new Promise<never>(() => {});
      calls.push(`${name}:${JSON.stringify(input)}`);
      return `${name}(${typeof input === 'string' ? input : JSON.stringify(input)})`;
    }, rest);
  const each = (concurrency: number, name: string): Step => ({
    kind: 'for_each',
    fields: {
      for_each: compute(() => [1, 2, 3]),
      max_concurrency: concurrency,
      steps: block(`${name}.steps`, [effect(name)]),
    },
  });
  const failing: Step = {
    kind: 'call',
    fields: { call: async () => Promise.reject(new Error('bad')) },
    onError: [effect('handler', { input: compute(() => 'e') })],
  };
  return plan([
    effect('first', { id: 'first' }),
    each(1, 'sequential'),
    each(2, 'concurrent'),
    {
      kind: 'parallel',
      fields: { parallel: { x: block('x', [effect('x')]), y: block('y', [effect('y'), effect('yy')]) } },
    },
    failing,
    jq((scope) => [scope.value ?? null, scope.step('first') ?? null]),
  ]);
}

describe('recorded runs', () => {
  it('[engine.replay-repeats-no-effect] [engine.live-equals-recovered] recovers from a crash after any effect', async () => {
    const undisturbed: string[] = [];
    const expected = await resultOf(mixed(undisturbed));
    await fc.assert(
      fc.asyncProperty(fc.integer({ min: 0, max: undisturbed.length }), async (crashAfter) => {
        const journal = new MemoryJournal();
        const calls: string[] = [];
        // The process "dies": its run never settles, what it appended stays.
        start(mixed(calls, crashAfter), null, { run: recorded(journal) });
        await new Promise((resolve) => setTimeout(resolve, 5));
        const survived = new MemoryJournal(JSON.parse(JSON.stringify(journal.entries)) as JournalEntry[]);
        expect(await resultOf(mixed(calls), null, { run: recorded(survived) })).toEqual(expected);
        expect([...calls].sort()).toEqual([...undisturbed].sort());
      }),
      { numRuns: 15 },
    );
  });

  it('[engine.parks] parks, and goes on in another process after the answer', async () => {
    const calls: string[] = [];
    const asking = plan([
      call(() => calls.push('before')),
      { kind: 'ask', id: 'q', fields: { ask: compute(() => 'go on? 続ける🙂') } },
      jq((scope) => `answer: ${scope.value}`),
    ]);
    const journal = new MemoryJournal();
    const parked = await run(asking, null, { run: recorded(journal) });
    expect(parked).toMatchObject({
      status: 'parked',
      questions: [{ question: { type: 'text', text: 'go on? 続ける🙂' } }],
    });
    if (parked.status !== 'parked') return;
    const address = parked.questions[0]!.address;
    await journal.append({ type: 'answer', address, answer: 'はい' });
    expect(await resultOf(asking, null, { run: recorded(journal) })).toBe('answer: はい');
    expect(calls).toEqual(['before']);
  });

  it('answers a parked run in the same process, each question once', async () => {
    const handle = start(plan([{ kind: 'ask', fields: { ask: compute(() => '?') } }]));
    const parked = await handle.settled();
    expect(parked.status).toBe('parked');
    const { address } = handle.questions[0]!;
    handle.answer(address, 'yes');
    expect(() => handle.answer(address, 'again')).toThrow('no open question');
    expect(await handle.settled()).toMatchObject({ status: 'completed', value: 'yes' });
  });

  it('[engine.waiting-pauses-deadlines] does not count the wait for a person against timeouts', async () => {
    const step = { kind: 'ask', fields: { ask: compute(() => '?') }, timeoutSeconds: 0.05 };
    const handle = start(plan([step], { timeoutSeconds: 0.06 }));
    expect((await handle.settled()).status).toBe('parked');
    await new Promise((resolve) => setTimeout(resolve, 120));
    handle.answer(handle.questions[0]!.address, 'late');
    expect(await handle.settled()).toMatchObject({ status: 'completed', value: 'late' });
  });

  it('[engine.interrupted-goes-to-attention] asks what to do about a call whose outcome is unknown', async () => {
    for (const [decision, expected] of [
      [
        { decision: 'adopt', output: 'adopted' },
        { status: 'completed', value: 'adopted' },
      ],
      [{ decision: 'reexecute' }, { status: 'completed', value: 'called' }],
      [{ decision: 'fail' }, { status: 'failed' }],
    ] as const) {
      const keys: string[] = [];
      const journal = new MemoryJournal();
      const step = (hang: boolean) =>
        plan([
          call(
            (_input, { idempotencyKey }) => {
              keys.push(idempotencyKey);
              return hang ? new Promise<never>(() => {}) : 'called';
            },
            { interrupted: 'attention' },
          ),
        ]);
      start(step(true), null, { run: recorded(journal) });
      await new Promise((resolve) => setTimeout(resolve, 5));
      const handle = start(step(false), null, { run: recorded(journal) });
      expect(await handle.settled()).toMatchObject({
        status: 'parked',
        questions: [{ question: { type: 'attention' } }],
      });
      handle.answer(handle.questions[0]!.address, decision);
      expect(await handle.settled()).toMatchObject(expected);
      if (decision.decision === 'reexecute') expect(keys[1]).not.toBe(keys[0]);
      else expect(keys).toHaveLength(1);
    }
  });

  it('[engine.child-failure-is-failure] fails the caller when a child fails after a pause', async () => {
    const fail = call(() => {
      throw new Error('child broke');
    });
    const child = plan([{ kind: 'ask', fields: { ask: compute(() => '?') } }, fail], { id: 'sub' });
    const services = { workflows: { load: async () => child } } as never;
    const parent = plan([{ kind: 'workflow', id: 'sub', fields: { workflow: 'sub' } }]);
    const journal = new MemoryJournal();
    const parked = await run(parent, null, { services, run: recorded(journal) });
    if (parked.status !== 'parked') throw new Error(parked.status);
    await journal.append({ type: 'answer', address: parked.questions[0]!.address, answer: 'go' });
    const result = await run(parent, null, { services, run: recorded(journal) });
    expect(result.status).toBe('failed');
    expect(result.status === 'failed' && messageChain(result.error)).toContain(
      "(id 'sub'), workflow 'sub' failed: ",
    );
  });

  it('[engine.retry-waits] waits before the next attempt, until an instant that is recorded', async () => {
    const calledAt: number[] = [];
    const failing = call(
      () => {
        calledAt.push(Date.now());
        throw new Error('bad');
      },
      { retry: { maxAttempts: 3, delaySeconds: 0.02, backoff: 2 } },
    );
    const journal = new MemoryJournal();
    await run(plan([failing]), null, { run: recorded(journal) });
    const [failed, until, failedAgain, untilAgain] = journal.entries.flatMap((entry) =>
      entry.type === 'instant' ? [entry.at] : [],
    );
    expect([until! - failed!, untilAgain! - failedAgain!]).toEqual([20, 40]);
    expect([calledAt[1]! >= until!, calledAt[2]! >= untilAgain!]).toEqual([true, true]);
  });

  it('[engine.deadline-owner] replays a deadline at the place that set it, never at a step inside', async () => {
    let calls = 0;
    const hanging = call(
      (_input, { signal }) => {
        calls += 1;
        return new Promise((_resolve, reject) =>
          signal.addEventListener('abort', () => reject(new Error('aborted'))),
        );
      },
      { retry: { maxAttempts: 3, delaySeconds: 0, backoff: 1 }, onError: [jq(() => 'caught inside')] },
    );
    const child = plan([{ kind: 'group', fields: { group: block('steps[0].group', [hanging]) } }], {
      timeoutSeconds: 0.03,
    });
    const services = { workflows: { load: async () => child } } as never;
    const calling = {
      kind: 'workflow',
      fields: { workflow: 'child' },
      onError: [jq(() => 'caught by the caller')],
    };
    const asking = { kind: 'ask', fields: { ask: compute(() => '?') } };
    const what = plan([{ ...calling, id: 'called' }, asking, jq((scope) => scope.step('called'))]);
    const journal = new MemoryJournal();
    const parked = await run(what, null, { services, run: recorded(journal) });
    if (parked.status !== 'parked') throw new Error(parked.status);
    await journal.append({ type: 'answer', address: parked.questions[0]!.address, answer: 'go' });
    expect(await resultOf(what, null, { services, run: recorded(journal) })).toBe('caught by the caller');
    expect(calls).toBe(1);
  });

  it('[engine.failed-fork-waits-for-nobody] fails at once when the rest of a failed fork only waits', async () => {
    const fail = call(() => {
      throw new Error('bad');
    });
    const asking = { kind: 'ask', fields: { ask: compute(() => '?') } };
    const branches = {
      ask: block('a', [asking]),
      fail: block('f', [fail]),
      work: block('w', [call(() => 1)]),
    };
    const what = plan([{ kind: 'parallel', fields: { parallel: branches, declared: true } }]);
    const result = await run(what, null, { run: recorded(new MemoryJournal()) });
    expect(result).toMatchObject({ status: 'failed', error: { details: { branch: 'fail' } } });
  });
});
