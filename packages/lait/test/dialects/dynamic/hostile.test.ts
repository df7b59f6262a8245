import { describe, expect, it } from 'vitest';
import { DefinitionError, isLaitError } from '../../../src/index.js';
import { complete, host, literally, mapping, resultOf, run, tool } from './host.js';

async function refusal(definition: unknown): Promise<Error> {
  const lait = await host();
  const error = await lait.addDynamicWorkflow(definition as never).catch((thrown: Error) => thrown);
  expect(lait.listWorkflows()).toEqual([]);
  expect(error).toBeInstanceOf(Error);
  return error as Error;
}

const withValue = (value: unknown) => complete({ graph: [mapping('m', { x: { value } })] });

describe('[dynamic.hostile-definitions] definitions from programs that nobody trusts', () => {
  it('are refused when they are no JSON, before any of their code runs', async () => {
    let touched = 0;
    const touch = () => {
      touched += 1;
      return [];
    };
    const getter = Object.defineProperty({}, 'x', { enumerable: true, get: touch });
    const proxy = new Proxy({}, { get: touch, ownKeys: touch });
    const cycle: Record<string, unknown> = {};
    cycle.self = cycle;
    for (const value of [
      getter,
      proxy,
      cycle,
      Number.NaN,
      new Date(0),
      new Map(),
      1n,
      Symbol('s'),
      () => 1,
      [undefined],
    ]) {
      const error = await refusal(withValue(value));
      expect(error).toBeInstanceOf(DefinitionError);
      expect(error.message).toMatch(/^workflow definition\.graph\.0\.mapConfig\.x\.value/);
    }
    expect(touched).toBe(0);
    for (const whole of [null, 5, 'x', [], complete({ graph: {} }), complete({})]) await refusal(whole);
  });

  it('are refused beyond the documented limits', async () => {
    let deep: unknown = 1;
    for (let level = 0; level < 5000; level += 1) deep = [deep];
    expect((await refusal(withValue(deep))).message).toContain('too large');
    let predicate: unknown = literally(true);
    for (let level = 0; level < 5000; level += 1) predicate = { op: 'not', arg: predicate };
    const nested = complete({
      graph: [{ type: 'conditional', steps: [tool('e', 'echo')], predicates: [predicate] }],
    });
    expect((await refusal(nested)).message).toContain('too large');
    const text = `{"x":{"value":${'['.repeat(5000)}${']'.repeat(5000)}}}`;
    expect((await refusal(complete({ graph: [mapping('m', text)] }))).message).toContain('too large');
    expect((await refusal(withValue(new Array(1e9)))).message).toContain('too large');
  });

  it('are copied: a program that changes them later changes nothing', async () => {
    const definition = complete({ graph: [mapping('m', { x: { value: ['kept'] } })] });
    const lait = await host();
    await lait.addDynamicWorkflow(definition);
    (definition.graph as { mapConfig: { x: { value: string[] } } }[])[0]!.mapConfig.x.value[0] = 'changed';
    const created = await lait.getWorkflow('w').createRun();
    expect(resultOf(await created.start())).toEqual({ x: ['kept'] });
  });

  it('may have 10,000 entries and templates of a megabyte', async () => {
    const graph = Array.from({ length: 10_000 }, (_, index) => mapping(`m${index}`, { i: { value: index } }));
    expect(resultOf(await run({ graph }))).toEqual({ i: 9999 });
    const template = `${'x'.repeat(1_000_000)}\${initData}${'{{ '.repeat(1000)}${'${'.repeat(1000)}`;
    const outcome = await run({ graph: [mapping('m', { t: { template } })] }, { inputData: '!' });
    expect((resultOf(outcome) as { t: string }).t.slice(999_999, 1_000_004)).toBe('x!{{ ');
  });

  it('read no prototype: names of its members are ids, keys and paths like any other', async () => {
    const config = JSON.parse(
      '{"__proto__":{"value":1},"constructor":{"step":"__proto__","path":"."}}',
    ) as object;
    const outcome = await run(
      {
        graph: [
          { type: 'parallel', steps: [tool('__proto__', 'echo'), tool('toString', 'echo')] },
          {
            type: 'conditional',
            steps: [tool('hasOwnProperty', 'echo')],
            predicates: [
              {
                op: 'and',
                args: [
                  { op: 'exists', path: 'stepResults.__proto__.a' },
                  { op: 'notExists', path: 'initData.toString' },
                ],
              },
            ],
          },
          mapping('m', config),
        ],
      },
      { inputData: { a: 1 } },
    );
    expect(JSON.stringify(resultOf(outcome))).toBe('{"__proto__":1,"constructor":{"a":1}}');
    expect(({} as Record<string, unknown>).a).toBeUndefined();
    for (const name of ['__proto__', 'constructor', 'toString']) {
      const error = await refusal(
        complete({ graph: [tool('t', name), { type: 'agent', id: 'a', agentId: name }] }),
      );
      expect(error.message).toContain('missing-reference');
    }
  });

  it('cannot loop over billions of elements that are not there', async () => {
    const outcome = await run(
      { graph: [{ type: 'foreach', step: tool('e', 'echo') }] },
      { inputData: { length: 1e12 } },
    );
    expect(outcome).toMatchObject({
      status: 'failed',
      error: { message: expect.stringContaining('at most') },
    });
  });

  it('can be cancelled in a loop without an end', async () => {
    const lait = await host();
    await lait.addDynamicWorkflow(
      complete({
        graph: [{ type: 'loop', loopType: 'dountil', step: tool('e', 'echo'), predicate: literally(false) }],
      }),
    );
    const created = await lait.getWorkflow('w').createRun();
    const ended = created.start({ inputData: 1 });
    await new Promise((resolve) => setTimeout(resolve, 30));
    await created.cancel();
    expect(await ended).toMatchObject({ status: 'canceled', input: 1 });
  });

  it('refuse nothing that is only unusual: null members, unknown keys, ids in any language', async () => {
    const outcome = await run(
      {
        id: '工作流🎉',
        description: null,
        metadata: null,
        stateSchema: null,
        surprise: 1,
        graph: [
          { ...tool('日本', 'echo'), options: null, description: null, surprise: {} },
          mapping('m', { '鍵.🎉': { step: '日本', path: '.' } }),
        ],
      },
      { inputData: 'こんにちは' },
    );
    expect(resultOf(outcome)).toEqual({ '鍵.🎉': 'こんにちは' });
  });

  it('throw errors of the family only', async () => {
    for (const value of [
      undefined,
      [],
      { graph: [] },
      complete({ graph: [{ type: 'mapping', id: 'm', mapConfig: '{"a":' }] }),
    ]) {
      expect(isLaitError(await refusal(value))).toBe(true);
    }
  });
});
