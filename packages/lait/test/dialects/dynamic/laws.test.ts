import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { convertToDynamic } from '../../../src/dialects/convert/to-dynamic.js';
import { convertToSteps } from '../../../src/dialects/convert/to-steps.js';
import { checkDefinition } from '../../../src/dialects/dynamic/check.js';
import { loadDynamicWorkflow } from '../../../src/dialects/dynamic/load-workflow.js';
import { openCatalog } from '../../../src/dialects/dynamic/open-catalog.js';
import { prepareDefinition } from '../../../src/dialects/dynamic/prepare.js';
import { loadStepsWorkflow } from '../../../src/dialects/steps/load-workflow.js';
import { compilePredicate, type Predicate } from '../../../src/expressions/predicate.js';
import type { Scope } from '../../../src/expressions/scope.js';
import type { Block, Plan } from '../../../src/plan/plan.js';
import { compileDefinitionSchema } from '../../../src/schema/strip.js';
import type { JsonValue } from '../../../src/values/value.js';
import { complete, mapping, resultOf, run, tool } from './host.js';

const json = fc.jsonValue({ maxDepth: 2 }) as fc.Arbitrary<JsonValue>;
const operand = fc.oneof(
  fc.record({ literal: json }),
  fc.record({
    path: fc.constantFrom(
      'inputData',
      'inputData.a',
      'initData.b.c',
      'state.s',
      'stepResults.x',
      'stepResults.gone',
    ),
  }),
);
const simple: fc.Arbitrary<Predicate> = fc.oneof(
  fc.record({ op: fc.constantFrom('eq', 'ne', 'lt', 'lte', 'gt', 'gte'), left: operand, right: operand }),
  fc.record({ op: fc.constantFrom('in', 'notIn'), value: operand, set: fc.array(json, { maxLength: 3 }) }),
  fc.record({ op: fc.constantFrom('truthy', 'falsy'), value: operand }),
  fc.record({
    op: fc.constantFrom('exists', 'notExists'),
    path: fc.constantFrom('inputData.a', 'state.s', 'stepResults.gone'),
  }),
) as fc.Arbitrary<Predicate>;
const { predicate } = fc.letrec<{ predicate: Predicate }>((tie) => ({
  predicate: fc.oneof(
    { maxDepth: 3 },
    simple,
    fc.record({
      op: fc.constantFrom('and', 'or'),
      args: fc.array(tie('predicate'), { maxLength: 3 }),
    }) as fc.Arbitrary<Predicate>,
    fc.record({ op: fc.constant('not'), arg: tie('predicate') }) as fc.Arbitrary<Predicate>,
  ),
}));

const scopes = fc.record({ value: json, inputs: json, s: json, x: json }).map(
  ({ value, inputs, s, x }): Scope => ({
    value,
    inputs,
    step: (id) => (id === 'x' ? x : undefined),
    hasStep: (id) => id === 'x',
    allSteps: () => ({ x }),
    loop: null,
    state: { s },
    context: {},
  }),
);
const holds = (condition: Predicate, scope: Scope) => compilePredicate(condition).evaluate(scope);

describe('[dynamic.predicate-laws] predicates', () => {
  it('negate, join and separate as logic does', () => {
    fc.assert(
      fc.property(predicate, predicate, scopes, (one, other, scope) => {
        const [a, b] = [holds(one, scope), holds(other, scope)];
        expect(holds({ op: 'not', arg: one }, scope)).toBe(!a);
        expect(holds({ op: 'and', args: [one, other] }, scope)).toBe(a && b);
        expect(holds({ op: 'or', args: [one, other] }, scope)).toBe(a || b);
        expect(holds({ op: 'not', arg: { op: 'and', args: [one, other] } }, scope)).toBe(
          holds(
            {
              op: 'or',
              args: [
                { op: 'not', arg: one },
                { op: 'not', arg: other },
              ],
            },
            scope,
          ),
        );
      }),
    );
  });

  it('are opposites in pairs, but for a side that is not there: then only notIn, notExists and falsy hold', () => {
    fc.assert(
      fc.property(operand, json, scopes, (value, literal, scope) => {
        const is = (op: string, more: object) => holds({ op, ...more } as Predicate, scope);
        const right = { literal };
        const there = 'literal' in value || is('exists', { path: value.path });
        expect(is('in', { value, set: [literal] })).toBe(!is('notIn', { value, set: [literal] }));
        expect(is('truthy', { value })).toBe(!is('falsy', { value }));
        for (const [op, opposite] of [['eq', 'ne']] as const) {
          expect(
            [is(op, { left: value, right }), is(opposite, { left: value, right })].filter(Boolean).length,
          ).toBe(there ? 1 : 0);
        }
        for (const op of ['lt', 'lte', 'gt', 'gte'])
          if (!there) expect(is(op, { left: value, right })).toBe(false);
      }),
    );
  });

  it('order two numbers or two texts, and nothing else', () => {
    fc.assert(
      fc.property(json, json, scopes, (one, other, scope) => {
        const is = (op: string) =>
          holds({ op, left: { literal: one }, right: { literal: other } } as Predicate, scope);
        const comparable = typeof one === typeof other && ['number', 'string'].includes(typeof one);
        if (comparable) expect(is('lt')).toBe(!is('gte'));
        else expect([is('lt'), is('lte'), is('gt'), is('gte')]).toEqual([false, false, false, false]);
        expect(is('lte')).toBe(is('lt') || (comparable && is('eq')));
      }),
    );
  });
});

describe('[dynamic.each-order] foreach', () => {
  it('gives the same results one after the other and side by side', async () => {
    const element = fc.oneof(fc.integer(), fc.constant(null), fc.string(), fc.constant({ n: 1 }));
    await fc.assert(
      fc.asyncProperty(
        fc.array(element, { maxLength: 12 }),
        fc.integer({ min: 2, max: 5 }),
        async (items, concurrency) => {
          const graph = (opts: object) => [
            { type: 'foreach', step: tool('each', 'odd'), opts },
            mapping('m', { all: { step: 'each', path: '.' } }),
          ];
          const tools = { odd: oddNumbers };
          const [one, many] = await Promise.all([
            run({ graph: graph({}) }, { inputData: items }, { tools }),
            run({ graph: graph({ concurrency }) }, { inputData: items }, { tools }),
          ]);
          expect(JSON.stringify(resultOf(many))).toBe(JSON.stringify(resultOf(one)));
        },
      ),
      { numRuns: 25 },
    );
  });
});

/** Gives nothing for even numbers, and is the slower the earlier the element is in the alphabet of numbers. */
const oddNumbers = {
  inputSchema: {},
  outputSchema: {},
  execute: async (input: unknown) => {
    await new Promise((resolve) => setTimeout(resolve, typeof input === 'number' ? Math.abs(input) % 3 : 0));
    return (typeof input === 'number' && input % 2 === 0 ? undefined : input) as never;
  },
};

describe('[dynamic.strip-laws] stripping schemas', () => {
  const schema = fc.letrec<{ schema: object }>((tie) => ({
    schema: fc.oneof(
      { maxDepth: 3 },
      fc.constantFrom(
        {},
        { type: 'string' },
        { type: 'number' },
        { type: ['string', 'null'] },
        { enum: ['a', 1] },
      ),
      fc.record({ type: fc.constant('array'), items: tie('schema') }),
      fc.record({
        type: fc.constant('object'),
        properties: fc.dictionary(fc.constantFrom('a', 'b', '__proto__'), tie('schema')),
        required: fc.subarray(['a', 'b']),
        additionalProperties: fc.boolean(),
      }),
    ),
  })).schema;

  it('leave alone what they gave back, never change what they were given, and accept it in both modes alike', () => {
    fc.assert(
      fc.property(schema, json, (each, value) => {
        const before = JSON.stringify(value);
        const once = compileDefinitionSchema(each)(value);
        expect(JSON.stringify(value)).toBe(before);
        if (!once.ok) {
          expect(once.problems.length).toBeGreaterThan(0);
          return;
        }
        expect(compileDefinitionSchema(each)(once.value)).toEqual(once);
        const strict = compileDefinitionSchema(each, { strict: true })(value);
        if (strict.ok) expect(strict.value).toEqual(once.value);
      }),
    );
  });
});

// ------------------------------------------------------------------ round trips

const name = fc.stringMatching(/^[a-z][a-z0-9_]{0,5}$/);
const key = fc.oneof(name, fc.constantFrom('a b', '日本', 'x-y'));
/** As a definition's file can hold it: JSON has no negative zero. */
const constant = json
  .map((value) => JSON.parse(JSON.stringify(value)) as JsonValue)
  .filter((value) => !JSON.stringify(value).includes('__proto__'));
const plainText = fc.string({ maxLength: 8 }).map((part) => part.replaceAll(/[${}]/g, '_'));

/** Definitions of what both forms can say: mappings, agents and workflows, parallel, foreach. */
const convertible = fc
  .record({
    declared: fc.boolean(),
    entries: fc.array(
      fc.record({
        type: fc.nat({ max: 4 }),
        keys: fc.uniqueArray(key, { maxLength: 3 }),
        constant,
        text: plainText,
        pick: fc.nat(),
      }),
      {
        minLength: 1,
        maxLength: 6,
      },
    ),
  })
  .map(({ declared, entries }) => {
    const ids: string[] = [];
    const graph = entries.map(({ type, keys, constant: value, text, pick }, index) => {
      const id = `s${index}`;
      const earlier = ids[pick % Math.max(1, ids.length)];
      const call = (own: string) =>
        pick % 2 === 0
          ? { type: 'workflow', id: own, workflowId: 'other' }
          : {
              type: 'agent',
              id: own,
              agentId: 'helper',
              ...(pick % 3 === 0 ? { options: { retries: 2 } } : {}),
            };
      switch (type) {
        case 0:
          ids.push(id);
          return call(id);
        case 1:
          ids.push(`${id}a`, `${id}b`);
          return {
            type: 'parallel',
            id,
            steps: [call(`${id}a`), { type: 'workflow', id: `${id}b`, workflowId: 'other' }],
          };
        case 2:
          ids.push(`${id}e`);
          return {
            type: 'foreach',
            id,
            step: call(`${id}e`),
            ...(pick % 2 === 0 ? { opts: { concurrency: 3 } } : {}),
          };
        default: {
          const sources = [
            { value },
            { template: `${text}\${inputData}${text}\${initData.n}` },
            declared ? { initData: true, path: 'n' } : { value: 1 },
            earlier === undefined ? { value } : { step: earlier, path: pick % 2 === 0 ? '.' : 'a.b c' },
            earlier === undefined ? { value: 2 } : { template: `\${stepResults.${earlier}}` },
          ];
          const config = Object.fromEntries(
            keys.map((each, at) => [each, sources[(pick + at) % sources.length]!]),
          );
          ids.push(id);
          return mapping(id, config);
        }
      }
    });
    const inputSchema = declared
      ? { type: 'object', properties: { n: { type: 'number' } }, required: ['n'] }
      : {};
    return { id: 'w', inputSchema, outputSchema: {}, graph };
  });

describe('[dynamic.round-trips] a definition', () => {
  it('survives JSON: the same findings and the same plan', () => {
    fc.assert(
      fc.property(convertible, (definition) => {
        const copy = JSON.parse(JSON.stringify(definition)) as object;
        expect(prepareDefinition(copy)).toEqual(prepareDefinition(definition));
        expect(checkDefinition(prepareDefinition(copy), openCatalog)).toEqual(
          checkDefinition(prepareDefinition(definition), openCatalog),
        );
        const asText = {
          ...definition,
          graph: definition.graph.map((entry) =>
            'mapConfig' in entry ? { ...entry, mapConfig: JSON.stringify(entry.mapConfig) } : entry,
          ),
        };
        expect(planOf(asText)).toEqual(planOf(definition));
      }),
    );
  });

  it('[convert.there-and-back] converted to steps and back is the same', () => {
    fc.assert(
      fc.property(convertible, (definition) => {
        const { result, losses } = convertToSteps(prepareDefinition(definition));
        expect(losses).toEqual([]);
        const { plan, diagnostics } = loadStepsWorkflow({ file: 'w.yml', text: result! }, { directory: '.' });
        expect(diagnostics.filter(({ severity }) => severity === 'error')).toEqual([]);
        const back = convertToDynamic(plan!);
        expect(back.losses).toEqual([]);
        expect(back.result).toEqual(prepareDefinition(definition));
        expect(planOf(back.result!)).toEqual(planOf(definition));
      }),
      { numRuns: 60 },
    );
  });
});

/** A plan as data: sources of expressions, kinds and places. */
function planOf(definition: object): unknown {
  const text = JSON.stringify(complete(definition as Record<string, unknown>));
  const { plan, diagnostics } = loadDynamicWorkflow({ file: 'w.json', text }, { directory: '.' });
  if (plan === undefined) return diagnostics.map(({ code, path, message }) => ({ code, path, message }));
  return blockOf((plan as Plan).body);
}

function blockOf(block: Block): unknown {
  return block.nodes.map(({ kind, path, id, label, retry, fields }) => ({
    kind,
    path,
    id,
    label,
    retry,
    fields: JSON.parse(JSON.stringify(fields, (name, value) => (name === 'position' ? undefined : value))),
  }));
}
