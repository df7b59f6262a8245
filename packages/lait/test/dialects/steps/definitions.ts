import fc from 'fast-check';

const name = fc.constantFrom('a', 'b', 'my-id', '_x', '9x', 'constructor', '__proto__', '日本');
const expression = fc.constantFrom(
  '.',
  '.a',
  '$steps.a',
  '$inputs.x',
  '$loop.index',
  '.[',
  'nope',
  'empty',
  '"😀" | .b',
  '$steps',
);
const template = fc.constantFrom(
  'hi',
  '{{ input }}',
  '{{ steps.a }}',
  '{{ inputs.x }}',
  '{{ x',
  '{{#if input}}日{{/if}}',
  '{{ nope }}',
  '',
);
const value = fc.oneof(fc.jsonValue({ maxDepth: 2 }), expression, template, name);

/** Workflow definitions as people get them right and wrong: known fields with good and bad values. */
export const definitions = fc.letrec<{ step: unknown; steps: unknown; file: unknown }>((tie) => ({
  step: fc
    .record(
      {
        id: fc.oneof({ weight: 5, arbitrary: name }, value),
        when: fc.oneof({ weight: 5, arbitrary: expression }, value),
        input: expression,
        output: fc.oneof({ weight: 5, arbitrary: expression }, value),
        retry: fc.oneof(fc.record({ max_attempts: fc.integer({ min: -1, max: 3 }) }), value),
        timeout: fc.oneof(fc.integer({ min: -1, max: 9 }), value),
        on_error: tie('steps'),
        jq: expression,
        prompt: template,
        run: fc.array(template, { maxLength: 2 }),
        write: template,
        ask: template,
        stop: fc.boolean(),
        break: fc.constant(true),
        group: tie('steps'),
        for_each: expression,
        while: expression,
        until: expression,
        max_iterations: fc.integer({ min: 0, max: 3 }),
        max_concurrency: fc.integer({ min: 0, max: 3 }),
        steps: tie('steps'),
        parallel: fc.dictionary(name, tie('steps'), { maxKeys: 2 }),
        switch: fc.array(fc.record({ when: expression, steps: tie('steps') }, { requiredKeys: [] }), {
          maxLength: 2,
        }),
        else: tie('steps'),
        output_schema: value,
        choices: value,
        decide: value,
        unknown: value,
      },
      { requiredKeys: [], noNullPrototype: true },
    )
    .map((step) => Object.fromEntries(Object.entries(step).slice(0, 3))),
  steps: fc.oneof(
    { maxDepth: 2 },
    value,
    fc.array(tie('step'), { minLength: 1, maxLength: 2 }),
    fc.array(tie('step'), { maxLength: 2 }),
  ),
  file: fc.record(
    {
      version: fc.constantFrom(1, 2, 3, '2', null),
      name: value,
      inputs: fc.oneof(fc.dictionary(name, value, { maxKeys: 2 }), value),
      output: fc.oneof(expression, value),
      timeout: value,
      default: fc.oneof(fc.record({ temperature: fc.double(), system: template }), value),
      models: value,
      schemas: fc.oneof(fc.dictionary(name, value, { maxKeys: 2 }), value),
      agents: fc.oneof(fc.dictionary(name, fc.record({ system: template }), { maxKeys: 2 }), value),
      steps: fc.oneof(
        { weight: 9, arbitrary: fc.array(tie('step'), { maxLength: 4 }) },
        { weight: 1, arbitrary: value },
      ),
    },
    { requiredKeys: ['steps'], noNullPrototype: true },
  ),
})).file;
