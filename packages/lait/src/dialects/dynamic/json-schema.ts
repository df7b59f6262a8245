import { predicateParts } from '../../expressions/predicate.js';
import type { JsonObject } from '../../values/value.js';

/** JSON Schema of a definition file, for editors. What a schema cannot say (references, flow) the checks say. */
export function dynamicJsonSchema(): JsonObject {
  return {
    $schema: 'https://json-schema.org/draft/2020-12/schema',
    title: 'lait dynamic workflow',
    description: 'A workflow as a graph of entries that run one after the other.',
    type: 'object',
    required: ['id', 'inputSchema', 'outputSchema', 'graph'],
    properties: {
      id: text('Names the workflow in the registry and in runs.'),
      description: text('Shown to people.'),
      inputSchema: schema('What a run takes; undeclared keys are dropped.'),
      outputSchema: schema('What a run gives; compared with the last entry, not enforced.'),
      stateSchema: schema('The shared state at the start of a run.'),
      requestContextSchema: schema('The values that travel along with a run.'),
      metadata: { description: 'Any JSON, kept as it is.', type: 'object' },
      graph: {
        description: 'The entries; each gets the output of the one before, the first the input.',
        type: 'array',
        minItems: 1,
        items: { oneOf: [...callTypes, 'mapping', ...containerTypes, 'sleep', 'sleepUntil'].map(reference) },
      },
    },
    $defs: {
      call: { oneOf: callTypes.map(reference) },
      agent: entry(
        'agent',
        'Asks a registered agent; takes { prompt }, gives { text } or the structured answer.',
        {
          id: text('Names this call; results are found under it.'),
          agentId: text('A registered agent.'),
          outputSchema: schema('Asks for a structured answer of this shape.'),
          options,
        },
      ),
      tool: entry('tool', 'Calls a registered tool with the input.', {
        id: text('Names this call; results are found under it.'),
        toolId: text('The key the tool is registered under, or <mcp server>__<tool>.'),
        options,
      }),
      classifier: entry('classifier', 'Asks a registered classifier about the input.', {
        id: text('Names this call; results are found under it.'),
        classifierId: text('A registered classifier.'),
        options,
      }),
      workflow: entry('workflow', 'Runs another registered workflow on the input.', {
        id: text('Names this call; results are found under it.'),
        workflowId: text('The id of a workflow of any form.'),
      }),
      mapping: entry('mapping', 'Builds an object; only directly in the graph.', {
        id: text('Names the mapping; its output is found under it.'),
        mapConfig: {
          description: 'A descriptor for each key of the output: an object, or the object as JSON text.',
          oneOf: [{ type: 'string' }, { type: 'object', additionalProperties: reference('descriptor') }],
        },
      }),
      parallel: entry('parallel', 'Runs steps at the same time on the same input.', { id, steps }, ['steps']),
      conditional: entry(
        'conditional',
        'Runs every step whose predicate holds, at the same time.',
        {
          id,
          steps,
          predicates: { description: 'One for each step.', type: 'array', items: reference('predicate') },
        },
        ['steps', 'predicates'],
      ),
      foreach: entry(
        'foreach',
        'Runs a step for each element of the input.',
        {
          id,
          step: reference('call'),
          opts: {
            type: ['object', 'null'],
            properties: {
              concurrency: { description: 'At once. Default 1.', type: ['integer', 'null'], minimum: 1 },
            },
          },
        },
        ['step'],
      ),
      loop: entry(
        'loop',
        'Repeats a step on its own output, judged after each time.',
        {
          id,
          loopType: {
            description: 'While the predicate holds, or until it does.',
            enum: ['dowhile', 'dountil'],
          },
          step: reference('call'),
          predicate: reference('predicate'),
        },
        ['loopType', 'step', 'predicate'],
      ),
      sleep: entry('sleep', 'Waits, and passes its input on.', {
        id: text('Names the wait.'),
        duration: { description: 'Milliseconds.', type: 'number' },
      }),
      sleepUntil: entry('sleepUntil', 'Waits until a date, and passes its input on.', {
        id: text('Names the wait.'),
        date: text('An ISO 8601 date.'),
      }),
      descriptor: descriptorSchema,
      predicate: { oneOf: Object.entries(predicateParts).map(([op, parts]) => predicateSchema(op, parts)) },
      operand: {
        oneOf: [
          { type: 'object', required: ['path'], properties: { path: reference('predicatePath') } },
          { type: 'object', required: ['literal'], properties: { literal: {} } },
        ],
      },
      predicatePath: {
        description: 'Dotted, from inputData, initData, state or stepResults.<id>.',
        type: 'string',
        pattern: '^(inputData|initData|state|stepResults\\.[^.]+)(\\..+)?$',
      },
    },
  };
}

const callTypes = ['agent', 'tool', 'classifier', 'workflow'];
const containerTypes = ['parallel', 'conditional', 'foreach', 'loop'];

function reference(name: string): JsonObject {
  return { $ref: `#/$defs/${name}` };
}

function text(description: string): JsonObject {
  return { description, type: 'string', minLength: 1 };
}

function schema(description: string): JsonObject {
  return { description: `${description} A JSON Schema.`, type: ['object', 'boolean'] };
}

const id = text('Names the container for people; it has no result of its own.');
const steps: JsonObject = { type: 'array', minItems: 1, items: reference('call') };
const options: JsonObject = {
  type: ['object', 'null'],
  properties: {
    retries: { description: 'Attempts after the first. Default 0.', type: ['integer', 'null'], minimum: 0 },
    metadata: { type: ['object', 'null'] },
  },
};

function entry(type: string, description: string, properties: JsonObject, required?: string[]): JsonObject {
  const optional = new Set(['outputSchema', 'options']);
  return {
    description,
    type: 'object',
    required: ['type', ...(required ?? Object.keys(properties).filter((key) => !optional.has(key)))],
    properties: {
      type: { const: type },
      ...properties,
      description: { description: 'Shown to people.', type: ['string', 'null'] },
      metadata: { description: 'Any JSON, kept as it is.', type: ['object', 'null'] },
    },
  };
}

const descriptorSchema: JsonObject = {
  description: 'Where one key takes its value from.',
  oneOf: [
    source('A constant.', { value: {} }),
    source('A text with ${…} placeholders.', { template: { type: 'string' } }),
    source('A part of the workflow input.', { initData: { const: true }, path: { type: 'string' } }),
    source('A part of the output of an earlier step, or of the first of several that has one.', {
      step: { oneOf: [{ type: 'string' }, { type: 'array', minItems: 1, items: { type: 'string' } }] },
      path: { type: 'string' },
    }),
    source('A value of the request context, by its whole key.', { requestContextPath: text('The key.') }),
  ],
};

function source(description: string, properties: JsonObject): JsonObject {
  return {
    description,
    type: 'object',
    required: Object.keys(properties),
    properties,
    additionalProperties: false,
  };
}

function predicateSchema(op: string, parts: (typeof predicateParts)['eq']): JsonObject {
  const properties: JsonObject = { op: { const: op } };
  for (const { key, type } of parts) {
    if (type === 'operand') properties[key] = reference('operand');
    else if (type === 'path') properties[key] = reference('predicatePath');
    else if (type === 'predicate') properties[key] = reference('predicate');
    else properties[key] = { type: 'array', minItems: 1, items: reference('predicate') };
  }
  if (op === 'in' || op === 'notIn') properties.set = { type: 'array', minItems: 1 };
  return { type: 'object', required: Object.keys(properties), properties, additionalProperties: false };
}
