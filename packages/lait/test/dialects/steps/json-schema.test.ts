import Ajv2020 from 'ajv/dist/2020.js';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { agentJsonSchema, workflowJsonSchema } from '../../../src/dialects/steps/json-schema.js';
import { loadStepsWorkflow } from '../../../src/dialects/steps/load-workflow.js';
import { kinds } from '../../../src/kinds/index.js';
import { isObject } from '../../../src/values/value.js';
import { definitions } from './definitions.js';

const ajv = new Ajv2020.default({
  strict: true,
  strictTypes: false,
  strictRequired: false,
  allowUnionTypes: true,
});
const fits = ajv.compile(workflowJsonSchema());

/** Problems of shape: what a schema can see. The others are about expressions, names, places and defaults. */
const shape = new Set([
  'unknown_field',
  'missing_field',
  'wrong_type',
  'out_of_range',
  'too_few_entries',
  'requires_field',
  'no_kind',
  'several_kinds',
  'unsupported_version',
  'version_1',
]);

function agree(definition: unknown): void {
  const { diagnostics } = loadStepsWorkflow({ file: 'w.yml', text: JSON.stringify(definition) });
  const errors = diagnostics.filter(({ severity }) => severity === 'error');
  if (errors.some(({ code }) => shape.has(code))) expect([fits(definition), errors]).toEqual([false, errors]);
  else if (errors.length === 0) expect([fits(definition), fits.errors]).toEqual([true, null]);
}

describe('the JSON Schema of workflow files', () => {
  it('accepts and refuses what the reader does [steps.schema-equals-reader]', () => {
    fc.assert(
      fc.property(definitions, (definition) => agree(JSON.parse(JSON.stringify(definition)))),
      { numRuns: 300 },
    );
  });

  it.each([
    { steps: [{ prompt: 'hi', output_schema: 'a' }], schemas: { a: { type: 'object' } } },
    { steps: [{ prompt: 'hi', schema_name: 'x' }] },
    { steps: [{ jq: '.', write: 'x' }] },
    { steps: [{ stop: true, retry: { max_attempts: 1 } }] },
    { steps: [{ run: [] }] },
    { steps: [{ run: ['a'], env: { A: 'b' }, cwd: '/' }] },
    { steps: [{ decide: { q: { type: 'noul' } } }] },
    { inputs: { a: 'string', b: null, c: { type: 'integer' }, d: 5 }, steps: [{ jq: '.' }] },
    { models: { m: [{ model_id: 'x', provider: { api_key_cmd: ['a'] } }] }, steps: [{ jq: '.' }] },
    { agents: { a: { system: 's', temperature: 3 } }, steps: [{ jq: '.' }] },
    {
      version: 2,
      steps: [{ for_each: '.', max_concurrency: 2, steps: [{ jq: '.', on_error: [{ stop: true }] }] }],
    },
  ])('agrees about %j', (definition) => {
    agree(definition);
  });

  it('describes every kind and every field', () => {
    const { $defs, properties } = workflowJsonSchema();
    const described = (schema: unknown): boolean =>
      isObject(schema) && typeof schema.description === 'string';
    expect(Object.values(properties as object).every(described)).toBe(true);
    for (const kind of kinds.values()) {
      if (kind.fields === undefined) continue;
      const definition = ($defs as Record<string, { properties: object }>)[kind.name];
      expect(described(definition)).toBe(true);
      expect(Object.values(definition!.properties).every(described)).toBe(true);
    }
  });
});

describe('the JSON Schema of agent files', () => {
  it('is a valid schema that refuses unknown fields', () => {
    const check = ajv.compile(agentJsonSchema());
    expect(check({ name: 'a', temperature: 1 })).toBe(true);
    expect(check({ system: 's' })).toBe(false);
  });
});
