import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { describe, expect, it } from 'vitest';
import { planOfFile } from '../../../src/config/load-plan.js';
import { DefinitionError, UsageError } from '../../../src/errors/errors.js';
import { kinds } from '../../../src/kinds/index.js';
import { load, marked, planOf, problems } from './load.js';

/** The problems of one step, without the file around it. */
function step(text: string): string[] {
  return problems(`steps:\n  - ${text.replaceAll('\n', '\n    ')}`);
}

describe('a right file becomes a plan', () => {
  const text = `
version: 2
name: triage
description: 問い合わせを分類する
inputs:
  tone: { type: string, default: 丁寧, description: 返信の口調 }
  text: string
  any:
output: '{category: $steps.classify.category, reply: .}'
timeout: 90
default:
  model: local
  temperature: 0.7
  system: "Answer in {{ inputs.tone }}."
  retry: { max_attempts: 3 }
  timeout: 60
  tools: []
models:
  local:
    - provider: { base_url: "http://localhost:1234/v1", api_key: "\${KEY}" }
      model_id: local-model
schemas:
  kinds: { type: object, required: [category] }
  filed: { file: schemas/f.json }
agents:
  reviewer:
    model: local
    output_schema: filed
    schema_name: review
    system: "Review {{ input }}"
steps:
  - id: classify
    prompt: "分類: {{ input }}"
    output_schema: kinds
    retry: { max_attempts: 2, delay_seconds: 1, backoff: 2.5 }
    timeout: 30
    on_error:
      - jq: .error
  - when: .ok
    input: .x
    output: .y
    switch:
      - when: . > 1
        steps:
          - agent: reviewer
    else:
      - jq: '"none"'
  - parallel:
      left: [{ jq: . }]
      right: [{ id: inner, jq: . }]
  - for_each: .
    max_concurrency: 4
    steps:
      - group: [{ jq: . }]
`;
  const plan = planOf(text);

  it('with everything that the file says', () => {
    expect(plan).toMatchObject({
      form: 'steps',
      id: 'dir/w.yml',
      name: 'triage',
      description: '問い合わせを分類する',
      directory: '/flows',
      timeoutSeconds: 90,
      settings: {
        defaults: {
          model: 'local',
          temperature: 0.7,
          retry: { maxAttempts: 3, delaySeconds: 0, backoff: 1 },
          timeoutSeconds: 60,
          tools: [],
        },
        models: { local: [{ model_id: 'local-model', provider: { api_key: `\${KEY}` } }] },
        agents: { reviewer: { name: 'reviewer', model: 'local', schemaName: 'review' } },
      },
    });
    expect(plan.output?.source).toBe('{category: $steps.classify.category, reply: .}');
    expect(plan.settings.defaults).not.toHaveProperty('timeout');
    expect(plan.settings.agents.reviewer?.outputSchema).toEqual({
      name: 'filed',
      file: '/flows/schemas/f.json',
    });
    expect(plan.inputs).toMatchObject({
      tone: { required: false, default: '丁寧', description: '返信の口調' },
      text: { required: true, schema: { type: 'string' } },
      any: { required: true, schema: {} },
    });
  });

  it('with a stable path, a place and a label for every step [steps.stable-paths]', () => {
    const seen: string[] = [];
    const visit = (block: typeof plan.body) => {
      for (const node of block.nodes) {
        seen.push(`${node.path} | ${node.label} | ${node.position?.line}`);
        for (const child of kinds.get(node.kind)?.blocks?.(node.fields) ?? []) visit(child.block);
        if (node.onError !== undefined) visit(node.onError);
      }
    };
    visit(plan.body);
    expect(seen).toEqual([
      'steps[0] | classify | 32',
      'steps[0].on_error[0] | step-2 (jq) | 38',
      'steps[1] | step-3 (switch) | 39',
      'steps[1].switch[0].steps[0] | step-4 (agent) | 45',
      'steps[1].switch.else[0] | step-5 (jq) | 47',
      'steps[2] | step-6 (parallel) | 48',
      'steps[2].parallel.left[0] | step-1 (jq) | 49',
      'steps[2].parallel.right[0] | inner | 50',
      'steps[3] | step-7 (for_each) | 51',
      'steps[3].for_each.steps[0] | step-1 (group) | 54',
      'steps[3].for_each.steps[0].group[0] | step-2 (jq) | 54',
    ]);
  });

  it('with compiled fields of each step', () => {
    const [first, second] = plan.body.nodes;
    expect(first).toMatchObject({
      kind: 'prompt',
      id: 'classify',
      retry: { maxAttempts: 2, delaySeconds: 1, backoff: 2.5 },
      timeoutSeconds: 30,
      fields: {
        prompt: { language: 'template' },
        output_schema: { name: 'kinds', body: { type: 'object' } },
      },
    });
    expect(second?.when?.source).toBe('.ok');
    expect(second?.input?.source).toBe('.x');
    expect(second?.output?.source).toBe('.y');
    expect(Object.keys(second?.fields as object)).toEqual(['switch', 'else']);
  });

  it('and JSON means the same as YAML', () => {
    const json = '{"steps":[{"id":"a","jq":"."},{"for_each":".","steps":[{"prompt":"{{ input }}"}]}]}';
    const yaml = 'steps:\n  - id: a\n    jq: .\n  - for_each: .\n    steps:\n      - prompt: "{{ input }}"\n';
    const shape = (source: string) =>
      JSON.stringify(planOf(source).body, (key, value) => (key === 'position' ? undefined : value));
    expect(shape(json)).toBe(shape(yaml));
  });
});

describe('what a plan accepts', () => {
  it('is a prompt, unless inputs are declared', () => {
    const plan = planOf('steps: [{ jq: . }]');
    expect(plan.accept({ value: '' })).toEqual({ value: '', inputs: {}, state: {}, context: {} });
    expect(() => plan.accept({})).toThrow(UsageError);
    expect(() => plan.accept({})).toThrow('needs a prompt');
    expect(planOf('inputs: { a: { default: 1 } }\nsteps: [{ jq: . }]').accept({})).toMatchObject({
      value: null,
      inputs: { a: 1 },
    });
  });

  it('is checked against the declarations', () => {
    const plan = planOf('inputs: { n: { type: integer } }\nsteps: [{ jq: . }]');
    expect(() => plan.accept({ inputs: { n: 'four' } })).toThrow("input 'n' must be an integer");
    expect(plan.accept({ value: 'v', inputs: { n: 4 } })).toMatchObject({ value: 'v', inputs: { n: 4 } });
  });
});

describe('the file', () => {
  it.each(['', '# only a comment\n'])('that is empty (%j) is told what it needs', (text) => {
    expect(load(text).diagnostics).toMatchObject([
      { code: 'empty_file', hint: expect.stringContaining('`steps:`') },
    ]);
  });

  it.each([
    ['name: x', "1:1 missing_field: a workflow file needs 'steps'"],
    ['stepz: 1\nsteps: [{ jq: . }]', "1:1 unknown_field: 'stepz' is not a field of a workflow file"],
    ['steps: []', '1:8 too_few_entries: steps must hold at least one step'],
    ['steps:', '1:7 wrong_type: steps must be a list of steps, not empty'],
    ['steps: { a: 1 }', '1:8 wrong_type: steps must be a list of steps, not a mapping'],
    ['- jq: .', '1:1 wrong_type: a workflow file must be a mapping with steps:, not a list'],
    ['just text', "1:1 wrong_type: a workflow file must be a mapping with steps:, not the text 'just text'"],
    ['timeout: 0\nsteps: [{ jq: . }]', '1:10 out_of_range: timeout must be at least 1, not 0'],
    [
      'timeout: 1.5\nsteps: [{ jq: . }]',
      '1:10 wrong_type: timeout must be a whole number, not the number 1.5',
    ],
    ['name: 1.10\nsteps: [{ jq: . }]', '1:7 wrong_type: name must be text, not the number 1.10'],
    [
      'output: .[\nsteps: [{ jq: . }]',
      '1:11 jq_syntax: output: syntax error, unexpected end of the expression',
    ],
    [
      'default: { speed: fast }\nsteps: [{ jq: . }]',
      "1:12 unknown_field: 'speed' is not a field of 'default'",
    ],
    [
      'default: { temperature: 2.5 }\nsteps: [{ jq: . }]',
      '1:25 out_of_range: default.temperature must be from 0 to 2, not 2.5',
    ],
    [
      'default: { retry: {} }\nsteps: [{ jq: . }]',
      "1:19 missing_field: 'default.retry' needs 'max_attempts'",
    ],
    ['inputs: { 9x: string }\nsteps: [{ jq: . }]', "1:11 bad_name: inputs: the name '9x' must be a letter"],
    [
      'inputs: { a: [string] }\nsteps: [{ jq: . }]',
      '1:14 wrong_type: inputs.a must be text, or a mapping, or empty, not a list',
    ],
    [
      'inputs: { a: { type: integer, default: x } }\nsteps: [{ jq: . }]',
      '1:40 bad_default: inputs.a: the default must be an integer, not the text "x"',
    ],
    [
      'inputs: { a: { type: 5 } }\nsteps: [{ jq: . }]',
      '1:22 bad_schema: inputs.a: type of a schema must be a name',
    ],
    ['inputs: { a: strng }\nsteps: [{ jq: . }]', "1:14 unknown_type_name: inputs.a: 'strng' is no type"],
    [
      'schemas: { a: b }\nsteps: [{ jq: . }]',
      "1:15 wrong_type: schemas.a must be a schema (a mapping), not the text 'b'",
    ],
    ['schemas: { a: { file: "" } }\nsteps: [{ jq: . }]', '1:23 bad_value: schemas.a: the file has no name'],
    [
      'schemas: { a: { file: 5 } }\nsteps: [{ jq: . }]',
      '1:23 wrong_type: schemas.a.file must be the path of a JSON file',
    ],
    [
      'schemas: { a: { required: x } }\nsteps: [{ jq: . }]',
      '1:27 bad_schema: schemas.a: required of a schema must be a list',
    ],
    ['schemas: [a]\nsteps: [{ jq: . }]', '1:10 wrong_type: schemas must be a mapping, not a list'],
    ['agents: { a: { model: m } }\nsteps: [{ jq: . }]', "1:16 missing_field: 'agents.a' needs 'system'"],
    [
      'agents: { a: { system: s, temperature: 3 } }\nsteps: [{ jq: . }]',
      '1:40 out_of_range: agents.a.temperature must be',
    ],
    [
      'agents: { a: { system: "{{ x" } }\nsteps: [{ jq: . }]',
      "1:25 template_syntax: agents.a.system: '{{' is never closed",
    ],
    [
      'agents: { a: { system: s, output_schema: ghost } }\nsteps: [{ jq: . }]',
      "1:42 unknown_schema: agents.a.output_schema: there is no schema 'ghost'",
    ],
    [
      'agents: { a: { system: s, schema_name: n } }\nsteps: [{ jq: . }]',
      "1:27 requires_field: 'schema_name' needs 'output_schema'",
    ],
    ['models: { a: [] }\nsteps: [{ jq: . }]', '1:14 too_few_entries: models.a must hold at least one entry'],
    [
      'models: { a: [{ provider: {} }] }\nsteps: [{ jq: . }]',
      "1:17 missing_field: 'models.a[0]' needs 'model_id'",
    ],
    [
      'models: { a: [{ model_id: m, provider: { api_key: k, api_key_cmd: c } }] }\nsteps: [{ jq: . }]',
      '1:67 bad_value: models: api_key and api_key_cmd exclude each other',
    ],
    ['version: 3\nsteps: [{ jq: . }]', '1:10 unsupported_version: version 3 is unsupported'],
    ['version: 2.10\nsteps: [{ jq: . }]', '1:10 unsupported_version: version 2.10 is unsupported'],
    ['version: "2"\nsteps: [{ jq: . }]', '1:10 unsupported_version: version 2 is unsupported'],
    ['version:\nsteps: [{ jq: . }]', '1:9 unsupported_version: version without a value is unsupported'],
  ])('%s', (text, expected) => {
    expect(problems(text)[0]?.slice(0, expected.length)).toBe(expected);
  });

  it.each([
    'version: 1\nsteps: [{ use: a }]',
    'nodes: { a: { type: prompt } }\nsteps: [{ use: a }]',
    'nodes: 1\nversion: 2',
  ])('of version 1 is refused with one message that leads to version 2: %j', (text) => {
    expect(problems(text)).toHaveLength(1);
    expect(problems(text)[0]).toMatch(/version_1: this is a version 1 workflow file .*migrate/);
  });
});

describe('a step', () => {
  it.each([
    ['id: lonely', /no_kind steps\[0\]: a step needs exactly one kind key/],
    ['use: greet', /no_kind .* and 'use' is none/],
    ['prmpt: hi', /no_kind/],
    ['jq: .\nask: "?"', /several_kinds steps\[0\]: a step has exactly one kind, but this one has jq and ask/],
    [
      'jq: .\nmodel: m',
      /unknown_field steps\[0\]: 'model' is not a field of a jq step; allowed are id, when,/,
    ],
    ['jq: .\nid: 9lives', /bad_value .*not '9lives'/],
    ['jq: .\nid: "日本"', /bad_value .*not '日本'/],
    ['jq: .\nid: 5', /wrong_type steps\[0\]: id must be text, not the number 5/],
    ['jq: .\nid: ""', /bad_value/],
    ['jq: .\nwhen: true', /wrong_type .*when must be a jq expression, not the boolean true/],
    ['jq: .\nretry: { max_attempts: 0 }', /out_of_range .*retry\.max_attempts must be at least 1, not 0/],
    [
      'jq: .\nretry: { max_attempts: 2, delay_seconds: 0.5 }',
      /wrong_type .*retry\.delay_seconds must be a whole number/,
    ],
    ['jq: .\nretry: { max_attempts: 2, backoff: -1 }', /out_of_range .*retry\.backoff must be at least 0/],
    ['jq: .\nretry: { max_attempts: 2, backoff: .inf }', /wrong_type .*retry\.backoff must be a number/],
    ['jq: .\nretry: 3', /wrong_type .*retry must be a mapping/],
    ['jq: .\non_error: { steps: [] }', /wrong_type .*on_error must be a list of steps, not a mapping/],
    ['jq: .\non_error: []', /too_few_entries .*on_error must hold at least one step/],
    ['stop: false', /bad_value .*stop must be true, not the boolean false/],
    ['stop: true\nretry: { max_attempts: 2 }', /unknown_field .*'retry' is not a field of a stop step/],
    ['while: .\nsteps: [{ jq: . }]', /missing_field .*a while step needs 'max_iterations'/],
    ['for_each: .', /missing_field .*a for_each step needs 'steps'/],
    ['for_each: .\nmax_concurrency: 0\nsteps: [{ jq: . }]', /out_of_range .*max_concurrency/],
    ['switch: { cases: [] }', /wrong_type .*switch must be a list, not a mapping/],
    ['switch: [{ steps: [{ jq: . }] }]', /missing_field .*'switch\[0\]' needs 'when'/],
    [
      'switch: [{ when: ., steps: [{ jq: . }], id: x }]',
      /unknown_field .*'id' is not a field of 'switch\[0\]'/,
    ],
    ['parallel: {}', /too_few_entries .*parallel must hold at least one entry/],
    ['parallel: { "a b": [{ jq: . }] }', /bad_name .*the name 'a b'/],
    ['parallel: [[{ jq: . }]]', /wrong_type .*parallel must be a mapping, not a list/],
    ['group: []', /too_few_entries .*group must hold at least one step/],
    ['group: [jq]', /wrong_type steps\[0\]\.group\[0\]: a step must be a mapping/],
    ['ask: "  "', /bad_value .*ask must not be blank/],
    ['ask: "?"\nchoices: [1]', /wrong_type .*choices\[0\] must be text, not the number 1/],
    ['ask: "?"\nchoices: ["a"]\ndefault: b', /bad_value .*default 'b' is none of the choices: a/],
    ['prompt: hi\ntemperature: 2.1', /out_of_range .*temperature must be from 0 to 2/],
    [
      'prompt: hi\nreasoning_effort: hgh',
      /bad_value .*reasoning_effort must be one of none, minimal, low, medium, high, xhigh/,
    ],
    ['prompt: hi\nschema_name: n', /requires_field .*'schema_name' needs 'output_schema'/],
    ['prompt: hi\noutput_schema: {}\nschema_name: "a b"', /bad_value .*schema_name must be 1 to 64/],
    ['prompt: hi\noutput_schema: ghost', /unknown_schema .*there is no schema 'ghost'/],
    ['prompt: hi\noutput_schema: 5', /wrong_type .*output_schema must be a schema/],
    ['prompt: hi\nfiles: a.txt', /wrong_type .*files must be a list, not the text 'a\.txt'/],
    ['prompt: hi\nwith: "{}"', /unknown_field .*'with' is not a field of a prompt step/],
    ['agent: a\nsystem: other', /unknown_field .*'system' is not a field of an agent step/],
    ['jq: no_such_function', /jq_syntax steps\[0\]: jq: no_such_function\/0 is not defined/],
    ['jq: $stepz.x', /jq_syntax steps\[0\]: jq: \$stepz is not defined/],
  ])('%j is refused', (text, expected) => {
    const found = step(text);
    expect(found).toEqual([expect.stringMatching(expected)]);
  });

  it('suggests what was meant', () => {
    const hints = (text: string) => load(text).diagnostics.map(({ hint }) => hint);
    expect(hints('steps: [{ prmpt: hi }]')).toEqual(["did you mean 'prompt'?"]);
    expect(hints('steps: [{ jq: ., wehn: . }]')).toEqual(["did you mean 'when'?"]);
    expect(hints('steps: [{ prompt: hi, system_prompt: s }]')).toEqual([
      "it is called 'system' in version 2",
    ]);
    expect(hints('schemas: { city: {} }\nsteps: [{ prompt: hi, output_schema: cty }]')).toEqual([
      "did you mean 'city'?",
    ]);
    expect(hints('steps: [{ prompt: hi, output_schema: s/c.json }]')).toEqual([
      'a file is written as { file: s/c.json }',
    ]);
    expect(hints('steps:\n  - jq: {a: .b}\n  - when: [.a]\n    jq: .\n')).toEqual([
      "write it in quotes: '{a: .b}'",
      "write it in quotes: '[.a]'",
    ]);
    expect(hints('steps:\n  - prompt: {{ input }}\n')).toEqual([
      'a text that starts with a placeholder must be in quotes: "{{ input }}"',
    ]);
    expect(hints('steps:\n  - prompt: Answer: {{ input }}\n')[0]).toContain('must be in quotes');
    expect(hints('steps:\n  - jq: "\\(.a)"\n')[0]).toContain('use single quotes');
    expect(hints('steps: [{ run: ls -la }]')[0]).toContain('[a, b]');
    expect(hints('steps: [{ parallel: { a: { jq: . } } }]')).toEqual(['begin each step with `- `']);
    expect(hints('steps:\n  - jq: @base64\n')).toEqual(['put the text in quotes']);
    expect(hints('steps: [{ prompt: hi, model: [a] }]')).toEqual([undefined]);
    expect(hints('steps: [{ ask: q, default: 1.10 }]')).toEqual(["write it in quotes: '1.10'"]);
  });

  it('has one id in the whole file [steps.unique-ids]', () => {
    const text =
      'steps:\n  - id: twin\n    jq: .\n  - group:\n      - parallel:\n          a: [{ id: twin, jq: . }]\n';
    expect(problems(text)).toEqual([
      "6:21 duplicate_id steps[1].group[0].parallel.a[0]: the id 'twin' is used twice (first in line 2): ids are unique in the whole file",
    ]);
    expect(problems('steps:\n  - &s { id: x, jq: . }\n  - *s\n')).toEqual([
      expect.stringContaining('duplicate_id steps[1]'),
    ]);
  });

  it('warns where other tools read plain text differently [steps.ambiguous-text]', () => {
    expect(problems('steps:\n  - ask: "?"\n    choices: [yes, NO, 08:30, fine]\n')).toEqual([
      '3:15 ambiguous_scalar steps[0]: choices[0]: `yes` is text here but true or false in other YAML tools: write it in quotes',
      '3:20 ambiguous_scalar steps[0]: choices[1]: `NO` is text here but true or false in other YAML tools: write it in quotes',
      '3:24 ambiguous_scalar steps[0]: choices[2]: `08:30` is text here but a number in other YAML tools: write it in quotes',
    ]);
    expect(load('steps:\n  - ask: "?"\n    choices: [yes]\n').plan).toBeDefined();
    const inputs =
      'inputs:\n  country: { type: string, default: NO }\n  at: { enum: [08:30, "9:00"] }\nsteps: [{ jq: . }]\n';
    expect(problems(inputs)).toEqual([
      '2:37 ambiguous_scalar: inputs.country: default: `NO` is text here but true or false in other YAML tools: write it in quotes',
      '3:16 ambiguous_scalar: inputs.at: enum 0: `08:30` is text here but a number in other YAML tools: write it in quotes',
    ]);
  });
});

describe('all problems are reported together', () => {
  const text = `naem: x
default: { temperature: 9 }
steps:
  - id: a
    jq: '.['
    model: m
  - id: a
    prompt: "{{ x"
    output_schema: ghost
  - break: true
  - group:
      - parallel:
          left:
            - stop: true
            - jq: "$nope"
`;

  it('in the order of the source, each with its place [steps.all-problems]', () => {
    expect(
      problems(text).map((problem) =>
        problem.split(':').slice(0, 2).join(':').split(' ').slice(0, 2).join(' '),
      ),
    ).toEqual([
      '1:1 unknown_field',
      '2:25 out_of_range',
      '5:12 jq_syntax',
      '6:5 unknown_field',
      '7:9 duplicate_id',
      '8:14 template_syntax',
      '9:20 unknown_schema',
      '10:5 break_outside_loop',
      '14:15 stop_in_concurrent',
      '15:20 jq_syntax',
    ]);
    expect(marked(text)).toEqual(['naem', '9', "'", 'model', 'a', '{{', 'ghost', 'break', 'stop', '$nope']);
  });

  it('as one error of a file', async () => {
    const directory = await mkdtemp(path.join(tmpdir(), 'lait-steps-'));
    try {
      const file = path.join(directory, 'w.yml');
      await writeFile(file, text);
      const error = await planOfFile(file).then(
        () => undefined,
        (reason: unknown) => reason as DefinitionError,
      );
      expect(error).toBeInstanceOf(DefinitionError);
      expect(error).toMatchObject({ code: 'definition_invalid', category: 'definition' });
      expect(error?.diagnostics).toHaveLength(10);
      expect(error?.message).toBe(`${file} has 10 problems`);
    } finally {
      await rm(directory, { recursive: true });
    }
  });
});

describe('places inside expressions', () => {
  it.each([
    ['plain', 'jq: .a | nope', 'nope'],
    ['quoted', 'jq: \'"日本😀" | nope\'', 'nope'],
    ['single quotes doubled', "jq: '\"it''s\" | nope'", 'nope'],
    ['double quotes with escapes', 'jq: "\\"\\u65e5\\t\\" |\\n nope"', 'nope'],
    ['a literal block', 'jq: |\n  .a |\n    # 日本\n    nope\n', 'nope'],
    ['a literal block with an indicator', 'jq: |2-\n   .a |\n  nope\n', 'nope'],
    ['a folded block', 'jq: >-\n  .a |\n  .b\n\n  | nope\n', 'nope'],
    ['a plain text of several lines', 'jq: .a |\n  .b |\n  nope', 'nope'],
    ['a quoted text of several lines', 'jq: ".a |\n\n  .b | \\\n  nope"', 'nope'],
    ['a template in a literal block', 'prompt: |\n  日本\n  {{ nope input }}\n', 'nope'],
  ])('are exact in %s', (_, field, part) => {
    const text = `steps:\n  - ${field.replaceAll('\n', '\n    ')}`;
    expect(marked(text)).toEqual([part]);
  });

  it('and of references in right expressions', () => {
    const text = 'steps:\n  - jq: |\n      # 日本\n      {a: $inputs.x}\n';
    const { plan, origins } = load(text);
    const expression = (plan!.body.nodes[0]!.fields as { jq: Parameters<typeof origins.position>[0] }).jq;
    const [reference] = expression.references;
    expect(reference).toMatchObject({ root: 'inputs', path: ['x'] });
    const position = origins.position(expression, reference!.start, reference!.end);
    expect(position).toMatchObject({ line: 4, column: 11 });
    expect(text.slice(position!.start, position!.end)).toBe('$inputs.x');
  });
});
