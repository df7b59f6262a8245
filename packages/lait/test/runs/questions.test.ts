import { describe, expect, it } from 'vitest';
import type { JsonObject } from '../../src/values/value.js';
import { asking, capabilityNode, conflict, counted, graphOf, hitl, hostOf, terminal } from './graph-host.js';

describe('questions', () => {
  it('lets exactly one of two concurrent answers win and calls nothing twice [runs.one-answer-wins]', async () => {
    const { capability, calls } = counted('work');
    const { runs, start } = await hostOf({ capabilities: [capability] });
    const id = await start(asking);
    const results = await Promise.allSettled([runs.answer(id, 'first'), runs.answer(id, 'second')]);
    expect(results.map(({ status }) => status).sort()).toEqual(['fulfilled', 'rejected']);
    expect(results.find(({ status }) => status === 'rejected')).toMatchObject({ reason: conflict });
    const [one, other] = await Promise.all([runs.drive(id), runs.drive(id)]);
    expect([one.status, other.status]).toContain('completed');
    expect(calls).toHaveLength(1);
  });

  it('refuses answers that come too late', async () => {
    const { capability } = counted('work');
    const { runs, start } = await hostOf({ capabilities: [capability] });
    const id = await start(asking);
    await runs.answer(id, 'yes');
    await expect(runs.answer(id, 'again')).rejects.toMatchObject(conflict);
    await runs.drive(id);
    await expect(runs.answer(id, 'again')).rejects.toMatchObject(conflict);
    const cancelled = await start(asking);
    await runs.cancel(cancelled);
    await expect(runs.answer(cancelled, 'late')).rejects.toMatchObject(conflict);
  });

  it('names each question by an address and by an id of its own', async () => {
    const { capability } = counted('work');
    const { runs, start } = await hostOf({ capabilities: [capability] });
    const id = await start(asking);
    const [question] = (await runs.read(id)).questions;
    expect(question).toMatchObject({ node_id: 'h', question: { type: 'text', text: 'go?' } });
    await expect(runs.answer(id, 'x', 'nodes.other?')).rejects.toMatchObject(conflict);
    await runs.answer(id, 'x', question!.hitl_run_id);
    expect((await runs.drive(id)).status).toBe('completed');
  });

  it.each([
    [{ question_type: 'select', choices: ['a', 'b'] }, 'c', 'b', 'b'],
    [{ question_type: 'boolean' }, 'maybe', true, 'true'],
    [{ question_type: 'text' }, undefined, 7, '7'],
    [{ question_type: 'text' }, undefined, null, ''],
    [{ question_type: 'text' }, undefined, { a: [1] }, '{"a":[1]}'],
    [{ question_type: 'text' }, undefined, 'はい🎉', 'はい🎉'],
  ])('checks and normalises answers to %j', async (type, wrong, right, answer) => {
    const { runs, start } = await hostOf({});
    const id = await start(
      graphOf([hitl('h', { question: '?', ...type } as JsonObject), terminal('t')], ['h->t']),
    );
    if (wrong !== undefined)
      await expect(runs.answer(id, wrong)).rejects.toMatchObject({ code: 'answer_invalid' });
    await runs.answer(id, right);
    const { result } = await runs.drive(id);
    expect(result).toEqual({ answer });
  });
});

describe('attention', () => {
  const graph = graphOf(
    [capabilityNode('a', 'att'), terminal('t'), terminal('saved')],
    ['a->t', 'a->saved!'],
  );
  const troubled = (output?: JsonObject) =>
    counted('att', () => ({ status: 'needs_attention', ...(output && { output }) }));

  it.each([
    ['what the capability reported', {}, {}],
    ['a stated output', { output: { v: 9 } }, { v: 9 }],
  ])('adopts %s of a call that gave no output', async (_, options, result) => {
    const { capability, calls } = troubled();
    const { runs, start } = await hostOf({ capabilities: [capability] });
    const id = await start(graph);
    await runs.attention(id, 'adopt', options);
    expect(await runs.drive(id)).toMatchObject({ status: 'completed', result });
    expect(calls).toHaveLength(1);
  });

  it('interrupts, resumes to the same question, and fails into the error edge', async () => {
    const { capability, calls } = troubled({ v: 1 });
    const { runs, start } = await hostOf({ capabilities: [capability] });
    const id = await start(graph);
    await runs.attention(id, 'interrupt');
    expect((await runs.read(id)).status).toBe('interrupted');
    await runs.resume(id);
    expect((await runs.drive(id)).status).toBe('waiting_attention');
    await runs.attention(id, 'fail', { reason: 'not good enough' });
    expect((await runs.drive(id)).status).toBe('completed');
    const { nodes } = await runs.view(id);
    expect(nodes.find(({ node_id }) => node_id === 'a')).toMatchObject({ status: 'failed' });
    expect(nodes.find(({ node_id }) => node_id === 'saved')).toMatchObject({ status: 'succeeded' });
    expect(calls).toHaveLength(1);
  });

  it('lets exactly one of two concurrent decisions win', async () => {
    const { capability } = troubled({ v: 1 });
    const { runs, start } = await hostOf({ capabilities: [capability] });
    const id = await start(graph);
    const results = await Promise.allSettled([runs.attention(id, 'adopt'), runs.attention(id, 'fail')]);
    expect(results.map(({ status }) => status).sort()).toEqual(['fulfilled', 'rejected']);
  });
});
