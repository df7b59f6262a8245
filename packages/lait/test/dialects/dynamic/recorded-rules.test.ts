import { describe, expect, it } from 'vitest';
import { defineTool } from '../../../src/index.js';
import { compileDefinitionSchema } from '../../../src/schema/strip.js';
import type { JsonObject } from '../../../src/values/value.js';
import { complete, host, literally, mapping, resultOf, run, tool } from './host.js';

/** The issues of a definition, as `code path`; undefined when it is accepted, [] when it is refused without any. */
async function issuesOf(definition: Record<string, unknown>): Promise<string[] | undefined> {
  const lait = await host();
  try {
    await lait.addDynamicWorkflows([complete(definition)]);
    return undefined;
  } catch (error) {
    const { issues } = error as { issues: { code: string; path: string }[] };
    return issues.map(({ code, path }) => `${code} ${path}`);
  }
}

const one = (config: unknown) => ({ graph: [tool('e', 'echo'), mapping('m', { x: config })] });
const when = (predicate: unknown) => ({
  graph: [{ type: 'conditional', steps: [tool('yes', 'echo')], predicates: [predicate] }],
});
const object = (a: unknown) => ({ type: 'object', properties: { a } });

describe('what flows', () => {
  it('is followed through properties that a schema object declares; true and null declare nothing', async () => {
    const graph = [mapping('m', { x: { initData: true, path: 'a' } })];
    for (const a of [true, false, null])
      expect(await issuesOf({ inputSchema: object(a), graph })).toEqual([
        'invalid-map-config graph.0.mapConfig.x.path',
      ]);
    expect(await issuesOf({ inputSchema: object({}), graph })).toBeUndefined();
    expect(await issuesOf({ inputSchema: false, graph })).toBeUndefined();
  });

  it('into a foreach body is whatever the items are, also of a schema without one type', async () => {
    const graph = [{ type: 'foreach', step: tool('double') }];
    for (const type of [undefined, ['array', 'null']])
      expect(await issuesOf({ inputSchema: { type, items: { type: 'string' } }, graph })).toEqual([
        'incompatible-schema graph.0.step',
      ]);
  });
});

describe('mappings', () => {
  it('judge the path before its source', async () => {
    expect(await issuesOf(one({ path: 'a[0]' }))).toEqual(['invalid-map-config graph.1.mapConfig.x.path']);
    expect(await issuesOf(one({ path: null, initData: true, step: 'e' }))).toEqual([
      'invalid-map-config graph.1.mapConfig.x.path',
    ]);
    expect(await issuesOf(one({ path: 'a', initData: true, step: 'e' }))).toEqual([
      'invalid-map-config graph.1.mapConfig.x',
    ]);
  });

  it('refuse a template that is no text, also beside another source', async () => {
    for (const config of [
      { template: 5 },
      { template: null, value: 3 },
      { template: 5, step: 'e', path: '.' },
    ])
      expect(await issuesOf(one(config))).toEqual(['invalid-map-config graph.1.mapConfig.x']);
  });

  it('take only what looks like a name for a placeholder of another language', async () => {
    for (const template of ['{{a$b}}', '{{ $x }}', '{{_}}', '{{0}}', '{{a.b-c}}'])
      expect(await issuesOf(one({ template }))).toEqual([
        'invalid-map-reference graph.1.mapConfig.x.template',
      ]);
    for (const template of ['{{.}}', '{{-}}', '{{-a}}', '{{ a b }}', '{{}}', '{{名前}}'])
      expect(await issuesOf(one({ template }))).toBeUndefined();
  });
});

describe('predicates', () => {
  it('are checked in the path that stands beside a literal, though the literal wins', async () => {
    const both = (path: string) => when({ op: 'eq', left: { path, literal: 1 }, right: { literal: 1 } });
    expect(await issuesOf(both('nope'))).toEqual([
      'invalid-predicate-reference graph.0.predicates.0.left.path',
    ]);
    expect(resultOf(await run(both('inputData.a'), { inputData: 7 }))).toEqual({ yes: 7 });
  });

  const unusable = [
    { op: 'in', value: { literal: 1 }, set: 'abc' },
    { op: 'notIn', value: { literal: 1 } },
    { op: 'falsy', value: {} },
    { op: 'not', arg: { op: 'truthy', value: {} } },
    { op: 'ne', left: {}, right: { literal: 1 } },
  ];

  it('that cannot be judged leave their branch out, unless an earlier part decides', async () => {
    for (const predicate of unusable) {
      expect(resultOf(await run(when(predicate)))).toEqual({});
      expect(resultOf(await run(when({ op: 'or', args: [literally(true), predicate] })))).toHaveProperty(
        'yes',
      );
      expect(resultOf(await run(when({ op: 'or', args: [predicate, literally(true)] })))).toEqual({});
    }
  });

  it('that cannot be judged fail a loop: it would never end', async () => {
    for (const predicate of unusable) {
      const graph = [{ type: 'loop', loopType: 'dountil', step: tool('e', 'echo'), predicate }];
      expect(await run({ graph })).toMatchObject({ status: 'failed', error: { code: 'predicate_unusable' } });
    }
  });
});

describe('entries', () => {
  it('in a container that are no objects have no id', async () => {
    for (const step of ['echo', 1, [], true]) {
      expect(await issuesOf({ graph: [{ type: 'parallel', steps: [step] }] })).toEqual([
        'missing-step-id graph.0.steps.0.id',
      ]);
      expect(await issuesOf({ graph: [{ type: 'foreach', step }] })).toEqual([
        'missing-step-id graph.0.step.id',
      ]);
    }
    expect(await issuesOf({ graph: [{ type: 'parallel', steps: [null] }] })).toEqual([]);
  });

  it('have no attempt when retries is no number', async () => {
    for (const retries of ['x', {}])
      expect(await run({ graph: [tool('e', 'echo', { options: { retries } })] })).toMatchObject({
        status: 'failed',
        error: { message: expect.stringMatching(/^Unknown error/) },
      });
  });

  it('ask an agent for a text when the schema of the answer is nothing', async () => {
    for (const outputSchema of ['', 0, false, null]) {
      const graph = [{ type: 'agent', id: 'a', agentId: 'parrot', outputSchema }];
      const outcome = await run({ graph }, { inputData: { prompt: 'こんにちは' } });
      expect(resultOf(outcome)).toEqual({ text: 'echo: こんにちは' });
    }
  });
});

describe('a step that waits', () => {
  it('stays suspended in the record when a step beside it fails', async () => {
    for (const steps of [
      [tool('ask'), tool('fail')],
      [tool('fail'), tool('ask')],
    ]) {
      const { status, steps: records } = await run(
        { graph: [{ type: 'parallel', steps }] },
        { inputData: 1 },
      );
      expect(status).toBe('failed');
      expect(records.fail).toMatchObject({ status: 'failed', error: { message: 'boom' } });
      expect(records.ask).toMatchObject({ status: 'suspended', suspendPayload: { asks: 1 } });
      expect(records.ask).not.toHaveProperty('error');
    }
  });

  it('in a foreach whose other element fails is failed with it', async () => {
    const askOnce = defineTool({
      inputSchema: {},
      outputSchema: {},
      execute: (item, context) => {
        if (item === 2) throw new Error('no 2');
        return context.suspend({});
      },
    });
    const graph = [{ type: 'foreach', step: tool('each', 'askOnce'), opts: { concurrency: 2 } }];
    const outcome = await run({ graph }, { inputData: [1, 2] }, { tools: { askOnce } });
    expect(outcome).toMatchObject({ status: 'failed', error: { message: 'no 2' } });
    expect(outcome.steps.each).toMatchObject({ status: 'failed', error: { message: 'no 2' } });
  });
});

describe('schemas', () => {
  it('do not know the type null without quotes', async () => {
    expect(await issuesOf({ inputSchema: { type: null }, graph: [tool('e', 'echo')] })).toEqual([]);
  });

  it('find a required key that holds nothing when any value will do', () => {
    const held = { a: undefined } as unknown as JsonObject;
    const check = compileDefinitionSchema({ ...object({}), required: ['a'] });
    expect(check(held)).toStrictEqual({ ok: true, value: { a: undefined } });
    expect(check({})).toMatchObject({ ok: false, problems: [{ path: ['a'] }] });
    const text = compileDefinitionSchema({ ...object({ type: 'string' }), required: ['a'] });
    expect(text(held)).toMatchObject({ ok: false });
  });

  it('let the output of a branch that did not run count as there, in a nested workflow', async () => {
    const child = {
      id: 'child',
      inputSchema: { type: 'object', properties: { a: {}, b: {} }, required: ['a', 'b'] },
      graph: [mapping('m', { a: { initData: true, path: 'a' } })],
    };
    const steps = [tool('a', 'echo'), tool('b', 'echo')];
    const graph = [
      { type: 'conditional', steps, predicates: [literally(true), literally(false)] },
      { type: 'workflow', id: 'call', workflowId: 'child' },
    ];
    expect(resultOf(await run([child, { graph }], { inputData: 1 }))).toEqual({ a: 1 });
  });
});
