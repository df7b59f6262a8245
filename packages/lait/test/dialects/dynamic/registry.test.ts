import { describe, expect, it } from 'vitest';
import type { DefinitionStore } from '../../../src/index.js';
import { complete, host, literally, mapping, resultOf, tool } from './host.js';

const says = (id: string, text: string) => complete({ id, graph: [mapping('m', { text: { value: text } })] });
const calls = (id: string, workflowId: string) =>
  complete({ id, graph: [{ type: 'workflow', id: 'call', workflowId }] });

async function start(lait: Awaited<ReturnType<typeof host>>, id: string, inputData?: unknown) {
  const created = await lait.getWorkflow(id).createRun();
  return resultOf(await created.start({ inputData }));
}

/** A store in memory, which says what was asked of it and can be made to fail. */
function memoryStore(rows: Record<string, unknown> = {}) {
  const stored = new Map(Object.entries(rows));
  const store: DefinitionStore & { fails?: boolean; stored: typeof stored } = {
    stored,
    async save(definitions) {
      if (store.fails) throw new Error('disk full');
      for (const { id, definition } of definitions) stored.set(id, JSON.parse(JSON.stringify(definition)));
    },
    async remove(id) {
      stored.delete(id);
    },
    async list() {
      return [...stored].map(([id, definition]) => ({ id, definition }));
    },
  };
  return store;
}

describe('bundles', () => {
  it('[dynamic.bundle-whole] register in dependency order, all members or none', async () => {
    const lait = await host();
    await lait.addDynamicWorkflows([calls('a', 'b'), calls('b', 'c'), says('c', 'deep')]);
    expect(await start(lait, 'a')).toEqual({ text: 'deep' });
    await expect(
      lait.addDynamicWorkflows([says('new', 'x'), complete({ id: 'bad', graph: [] })]),
    ).rejects.toThrow(/"bad" failed validation/);
    expect(() => lait.getWorkflow('new')).toThrow(/no workflow 'new' is registered/);
    await lait.addDynamicWorkflows([]);
  });

  it('name an id that appears twice, and the members of a circle with those that lead into it', async () => {
    const lait = await host();
    await expect(lait.addDynamicWorkflows([says('a', '1'), says('a', '2')])).rejects.toThrow(
      /more than one definition with id "a"/,
    );
    const circle = [calls('b', 'a'), calls('a', 'b'), calls('leads-in', 'a'), says('free', 'x')];
    await expect(lait.addDynamicWorkflows(circle)).rejects.toThrow(
      /circular nested-workflow dependency among: a, b, leads-in\./,
    );
    expect(lait.listWorkflows()).toEqual([]);
  });

  it('report the issues of the first invalid member only', async () => {
    const lait = await host();
    const bundle = [complete({ id: 'a', graph: [] }), complete({ id: 'b', graph: [tool('', 'echo')] })];
    await expect(lait.addDynamicWorkflows(bundle)).rejects.toMatchObject({
      issues: [{ code: 'empty-graph', path: 'graph' }],
    });
  });
});

describe('registering anew', () => {
  it('[dynamic.captured-child] replaces a workflow; callers keep the one they were registered with', async () => {
    const lait = await host();
    await lait.addDynamicWorkflows([says('child', 'old'), calls('parent', 'child')]);
    await lait.addDynamicWorkflow(says('child', 'new'));
    expect(await start(lait, 'child')).toEqual({ text: 'new' });
    expect(await start(lait, 'parent')).toEqual({ text: 'old' });
    await lait.addDynamicWorkflow(calls('parent', 'child'));
    expect(await start(lait, 'parent')).toEqual({ text: 'new' });
  });

  it('cannot build a circle: what was captured ends', async () => {
    const lait = await host();
    await lait.addDynamicWorkflows([says('child', 'end'), calls('parent', 'child')]);
    await lait.addDynamicWorkflow(calls('child', 'parent'));
    expect(await start(lait, 'child')).toEqual({ text: 'end' });
  });

  it('leaves a run under way as it is', async () => {
    const lait = await host();
    const graph = [
      {
        type: 'loop',
        loopType: 'dountil',
        step: tool('i', 'increment'),
        predicate: { op: 'gte', left: { path: 'inputData.n' }, right: { literal: 2000 } },
      },
      mapping('m', { text: { value: 'old' } }),
    ];
    await lait.addDynamicWorkflow(complete({ graph }));
    const created = await lait.getWorkflow('w').createRun();
    const ended = created.start({ inputData: { n: 0 } });
    await lait.addDynamicWorkflow(says('w', 'new'));
    expect(resultOf(await ended)).toEqual({ text: 'old' });
  });

  it('removes a workflow; unknown ids are no error', async () => {
    const lait = await host();
    await lait.addDynamicWorkflow(says('w', 'x'));
    expect([await lait.removeWorkflow('w'), await lait.removeWorkflow('w')]).toEqual([true, false]);
    expect(() => lait.getWorkflow('w')).toThrow();
  });
});

describe('a definition store', () => {
  it('[dynamic.definitions-return] brings definitions back in dependency order, in a new instance', async () => {
    const definitionStore = memoryStore();
    const first = await host({ definitionStore });
    await first.addDynamicWorkflows([calls('a', 'b'), says('b', 'kept 日本 🎉')]);
    const second = await host({
      definitionStore: memoryStore(Object.fromEntries([...definitionStore.stored].reverse())),
    });
    expect(await start(second, 'a')).toEqual({ text: 'kept 日本 🎉' });
    await first.removeWorkflow('a');
    expect([...definitionStore.stored.keys()]).toEqual(['b']);
  });

  it('[dynamic.bad-rows-skipped] leaves out rows that are wrong and what calls them, and says so', async () => {
    const skipped: string[] = [];
    const lait = await host({
      definitionStore: memoryStore({
        good: says('good', 'fine'),
        broken: { id: 'broken' },
        text: 'no object',
        caller: calls('caller', 'broken'),
        self1: calls('self1', 'self2'),
        self2: calls('self2', 'self1'),
      }),
      onSkippedDefinition: ({ id, error }) => skipped.push(`${id}: ${error.message.split('\n')[0]}`),
    });
    expect(await start(lait, 'good')).toEqual({ text: 'fine' });
    expect(lait.listWorkflows().map(({ id }) => id)).toEqual(['good']);
    expect(skipped.map((line) => line.split(':')[0]).sort()).toEqual([
      'broken',
      'caller',
      'self1',
      'self2',
      'text',
    ]);
  });

  it('that fails keeps the registry as it was', async () => {
    const definitionStore = memoryStore();
    const lait = await host({ definitionStore });
    await lait.addDynamicWorkflow(says('w', 'old'));
    definitionStore.fails = true;
    await expect(lait.addDynamicWorkflow(says('w', 'new'))).rejects.toThrow('disk full');
    expect(await start(lait, 'w')).toEqual({ text: 'old' });
  });
});

describe('names', () => {
  it('tools by their key, agents by key or own id, classifiers through the decision client', async () => {
    const lait = await host();
    await lait.addDynamicWorkflow(
      complete({
        graph: [
          mapping('p', { prompt: { value: 'x' } }),
          { type: 'agent', id: 'a', agentId: 'structured-own-id' },
        ],
      }),
    );
    expect(await start(lait, 'w')).toEqual({ text: '{"title":"T","n":3}' });
    const classified = complete({ graph: [{ type: 'classifier', id: 'c', classifierId: 'mood' }] });
    await expect(lait.addDynamicWorkflow(classified)).rejects.toThrow(/not a registered classifier/);
    const known = await host({ classifiers: { mood: { questions: { happy: { type: 'noul' } } } } });
    await known.addDynamicWorkflow(classified);
  });

  it('a plain step calls the agent of that name, else the tool', async () => {
    const lait = await host();
    const graph = [
      mapping('p', { prompt: { value: 'x' } }),
      { type: 'step', step: { id: 'parrot' } },
      { type: 'step', step: { id: 'upper' } },
    ];
    await lait.addDynamicWorkflow(
      complete({
        graph: [...graph, { type: 'conditional', steps: [tool('e', 'echo')], predicates: [literally(true)] }],
      }),
    );
    expect(await start(lait, 'w')).toEqual({ e: { text: 'ECHO: X' } });
  });
});
