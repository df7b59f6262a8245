import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { Document, isSeq, parse, visit } from 'yaml';
import { migrateWorkflow } from '../../../src/dialects/migrate/migrate-workflow.js';
import { directoryWith } from '../../cli/run-lait.js';

function migrate(text: string, directory = '/nowhere', workingDirectory = directory) {
  return migrateWorkflow({ file: 'old.yml', text }, { directory, workingDirectory });
}

/** What a file becomes, as data; it must load. */
function becomes(text: string): unknown {
  const { text: migrated, remaining } = migrate(text);
  expect([migrated, remaining]).toEqual([migrated, []]);
  return parse(migrated);
}

const messages = (text: string) =>
  migrate(text)
    .decisions.map(({ message }) => message)
    .join('\n');

describe('lait migrate', () => {
  it('[migrate.table] the example of the specification becomes its result', () => {
    const { text, decisions, remaining } = migrate(`# バージョン 1
json_schemas:
  city:
    schema: { type: object, required: [city] }
nodes:
  extract:
    type: prompt
    prompt: "都市名を抽出: {{ input }}"
    output_schema: city
    jq: '.city'
    write_file: city.txt
steps:
  - id: extract
    use: extract
  - loop:
      until: '. != ""'
      max_iterations: 3
      steps:
        - use: extract
`);
    expect(text).toBe(`# バージョン 1
schemas:
  city: { type: object, required: [city] }
steps:
  - id: extract
    prompt: "都市名を抽出: {{ input }}"
    output_schema: city
    output: '.city'
  - write: city.txt
  - until: '. != ""'
    max_iterations: 3
    steps:
      - prompt: "都市名を抽出: {{ input }}"
        output_schema: city
        output: '.city'
`);
    expect(remaining).toEqual([]);
    expect(decisions).toMatchObject([
      { message: expect.stringContaining('behind its first use only'), position: { line: 19 } },
    ]);
  });

  it.each([
    [
      'a node with system_prompt alone',
      'nodes: { a: { type: prompt, system_prompt: Be kind } }\nsteps: [{ use: a }]',
      { steps: [{ prompt: '{{ input }}', system: 'Be kind' }] },
    ],
    [
      'command, transform, ask and workflow',
      `nodes:
  c: { type: command, command: [date] }
  t: { type: transform, jq: '{a: .}' }
  q: { type: ask, prompt: Really?, choices: ["yes", "no"] }
  w: { type: workflow, workflow: ./child.yml, jq: .summary }
steps: [{ use: c }, { use: t }, { use: q }, { use: w }]`,
      {
        steps: [
          { run: ['date'] },
          { jq: '{a: .}' },
          { ask: 'Really?', choices: ['yes', 'no'] },
          { workflow: './child.yml', output: '.summary' },
        ],
      },
    ],
    [
      'switch',
      `nodes: { a: { type: transform, jq: '1' } }
steps:
  - switch:
      cases:
        - { id: high, when: . == "high", steps: [{ use: a }] }
      else: [{ use: a }]`,
      { steps: [{ switch: [{ when: '. == "high"', steps: [{ jq: '1' }] }], else: [{ jq: '1' }] }] },
    ],
    [
      'parallel and for_each with join',
      `nodes: { a: { type: transform, jq: '1' } }
steps:
  - parallel:
      branches: [{ id: x, steps: [{ use: a }] }, { id: y, steps: [{ use: a }] }]
      join: '[.x, .y]'
  - for_each: { items: ., max_concurrency: 2, join: length, steps: [{ use: a }] }`,
      {
        steps: [
          { parallel: { x: [{ jq: '1' }], y: [{ jq: '1' }] }, output: '[.x, .y]' },
          { for_each: '.', max_concurrency: 2, output: 'length', steps: [{ jq: '1' }] },
        ],
      },
    ],
    [
      'on_error, retry and stop',
      `nodes: { a: { type: command, command: [date], timeout: 3 } }
steps:
  - use: a
    retry: { max_attempts: 2 }
    on_error: { steps: [{ use: a }] }
  - { use: a, stop: true, when: '. == "x"' }
  - { use: a, stop: true }`,
      {
        steps: [
          {
            run: ['date'],
            timeout: 3,
            retry: { max_attempts: 2 },
            on_error: [{ run: ['date'], timeout: 3 }],
          },
          { when: '. == "x"', group: [{ run: ['date'], timeout: 3 }, { stop: true }] },
          { run: ['date'], timeout: 3 },
          { stop: true },
        ],
      },
    ],
    [
      'a file that is written under a condition',
      `nodes: { a: { type: command, command: [date], write_file: out.txt } }
steps: [{ id: d, use: a, when: '. == "x"', on_error: { steps: [{ use: a }] } }]`,
      {
        steps: [
          {
            id: 'd',
            when: '. == "x"',
            group: [{ run: ['date'] }, { write: 'out.txt' }],
            on_error: [{ run: ['date'] }],
          },
        ],
      },
    ],
    [
      'defaults, schemas and variables',
      `version: 1
default: { model: m, system_prompt: "In {{ vars.lang }}", workflow_timeout: 60 }
json_schemas: { a: { file_path: a.json }, b: { schema: { type: object } } }
nodes:
  p: { type: prompt, prompt: "{{ vars.text }} {{#if vars.note}}!{{/if}}", output_schema: b, structured_output: true }
steps: [{ use: p, when: $vars.max != null }]`,
      {
        version: 2,
        timeout: 60,
        default: { model: 'm', system: 'In {{ inputs.lang }}' },
        schemas: { a: { file: 'a.json' }, b: { type: 'object' } },
        inputs: { lang: 'string', text: 'string', note: 'string', max: 'string' },
        steps: [
          {
            prompt: '{{ inputs.text }} {{#if inputs.note}}!{{/if}}',
            output_schema: 'b',
            when: '$inputs.max != null',
          },
        ],
      },
    ],
    [
      'ids that were those of nodes',
      `nodes: { a: { type: command, command: [date] }, b: { type: prompt, prompt: "{{ steps.a }}" } }
steps: [{ use: a }, { use: b }]`,
      { steps: [{ id: 'a', run: ['date'] }, { prompt: '{{ steps.a }}' }] },
    ],
    [
      'text that jq read as JSON',
      'nodes: { c: { type: command, command: [cat, x.json], jq: .title } }\nsteps: [{ use: c }]',
      { steps: [{ run: ['cat', 'x.json'], output: '(. as $text | try fromjson catch $text) | .title' }] },
    ],
  ])('[migrate.table] %s', (_, text, expected) => {
    expect(becomes(text)).toEqual({ ...(expected as object) });
  });

  it('[migrate.comments] comments stay with what they were written at', () => {
    const { text } = migrate(`# the file

# names first
name: triage # of mails
nodes:
  # asks the model
  ask: # once
    type: prompt # LLM
    # the question
    prompt: |
      Line one
      行 2 🎉
steps:
  # the only step
  - use: ask # here
    # not forever
    timeout: 10
# the end
`);
    const lines = [
      '# the file',
      '# names first',
      'name: triage # of mails',
      '# the only step',
      '# asks the model',
      '# the question',
      '# LLM',
      '# not forever',
      '# here',
      '# the end',
    ];
    for (const line of lines) expect(text).toContain(line);
    expect(text).toContain('  - prompt: |\n      Line one\n      行 2 🎉\n');
    expect(parse(text)).toEqual({ name: 'triage', steps: [{ prompt: 'Line one\n行 2 🎉\n', timeout: 10 }] });
  });

  it('[migrate.decisions] what a person must decide is listed with its place', () => {
    const text = `nodes:
  many: { type: transform, jq: '.items[]' }
  shell: { type: command, command: "ls | wc -l" }
  list: { type: command, command: [cat, items.json] }
  lost: { type: agent, agent: agents/lost.md }
  spare: { type: transform, jq: . }
  maybe: { type: prompt, prompt: hi, output_schema: city.json }
steps:
  - use: many
  - use: shell
  - use: list
  - for_each: { items: .items, steps: [{ use: lost }], join: concat }
  - use: gone
  - use: maybe
`;
    const said = messages(text);
    for (const part of [
      "'.items[]' may give several or none",
      'handed to sh -c',
      "'.items' looks into the text of the step before it (run)",
      "agent file 'agents/lost.md' is not there",
      "no step uses node 'spare'",
      "schema file 'city.json' is not there",
      'join: concat has no counterpart',
      "there is no node 'gone'",
    ])
      expect(said).toContain(part);
    const { decisions, remaining } = migrate(text);
    expect(decisions.find(({ message }) => message.includes('sh -c'))!.position).toMatchObject({ line: 3 });
    expect(remaining.map(({ message }) => message).join()).toContain('use');
    expect(messages('nodes: { a: { type: transform, jq: .title } }\nsteps: [{ use: a }]')).toContain(
      'looks into the text that the workflow is given',
    );
  });

  it('[migrate.paths] agents and schemas are found from the directory of the file', () => {
    const root = directoryWith({ 'agents/a.md': '---\nname: a\n---\nhi', 'schemas/s.json': '{}' });
    const text =
      'nodes: { a: { type: agent, agent: agents/a.md }, p: { type: prompt, prompt: hi, output_schema: schemas/s.json } }\nsteps: [{ use: a }, { use: p }]\n';
    expect(parse(migrate(text, `${root}/flows`, root).text)).toEqual({
      steps: [{ agent: '../agents/a.md' }, { prompt: 'hi', output_schema: { file: '../schemas/s.json' } }],
    });
    expect(parse(migrate(text, root).text)).toMatchObject({ steps: [{ agent: './agents/a.md' }, {}] });
  });

  it('[migrate.text] anchors are written out, Windows line ends stay, and JSON is YAML', () => {
    expect(
      becomes('nodes:\n  a: &a { type: transform, jq: "1" }\n  b: *a\nsteps: [{ use: a }, { use: b }]\n'),
    ).toEqual({ steps: [{ jq: '1' }, { jq: '1' }] });
    const { text } = migrate('nodes:\r\n  a:\r\n    jq: "1"\r\nsteps:\r\n  - use: a\r\n');
    expect(text).toBe('steps:\r\n  - jq: "1"\r\n');
    expect(becomes('{"nodes":{"a":{"jq":"1"}},"steps":[{"use":"a"}]}')).toEqual({ steps: [{ jq: '1' }] });
  });

  it('[migrate.lints] whatever is written with nodes loads as version 2, and keeps the comments of its steps', () => {
    const name = fc.constantFrom('p', 'c', 't', 'q', 'x');
    const use = fc.record(
      {
        use: name,
        when: fc.constant('. != null'),
        retry: fc.constant({ max_attempts: 2 }),
        timeout: fc.integer({ min: 1, max: 9 }),
        on_error: fc.constant({ steps: [{ use: 't' }] }),
      },
      { requiredKeys: ['use'] },
    );
    const { step } = fc.letrec<{ step: object; list: object[] }>((tie) => ({
      list: fc.array(tie('step'), { minLength: 1, maxLength: 3 }),
      step: fc.oneof(
        { maxDepth: 3, withCrossShrink: true },
        use,
        fc.record({
          loop: fc.record({
            while: fc.constant('false'),
            max_iterations: fc.nat(3).map((n) => n + 1),
            steps: tie('list'),
          }),
        }),
        fc.record({ for_each: fc.record({ items: fc.constant('[1]'), steps: tie('list') }) }),
        fc.record({
          parallel: fc.record({
            branches: fc
              .array(tie('list'), { minLength: 1, maxLength: 2 })
              .map((lists) => lists.map((steps, index) => ({ id: `b${index}`, steps }))),
          }),
        }),
        fc.record({
          switch: fc.record({
            cases: fc.array(fc.record({ id: name, when: fc.constant('true'), steps: tie('list') }), {
              minLength: 1,
              maxLength: 2,
            }),
            else: tie('list'),
          }),
        }),
      ),
    }));
    const top = fc.oneof(
      step,
      use.map((each) => ({ ...each, stop: true })),
    );
    const nodes = {
      p: {
        type: 'prompt',
        system_prompt: 'Be kind, {{ vars.name }}',
        jq: '.city',
        write_file: 'p-{{ loop.index }}.txt',
        model: 'm',
      },
      c: { type: 'command', command: ['date'] },
      t: { type: 'transform', jq: '{a: $vars.n}' },
      q: { type: 'command', command: ['cat'], jq: '.a' },
      x: { type: 'workflow', workflow: './child.yml' },
    };
    fc.assert(
      fc.property(fc.array(top, { minLength: 1, maxLength: 4 }), (steps) => {
        const document = new Document({ nodes, steps });
        const comments: string[] = [];
        visit(document, {
          Map: (_, map, path) => {
            if (!isSeq(path.at(-1)) || !(map.has('use') || map.has('loop') || map.has('switch'))) return;
            map.commentBefore = ` comment ${comments.length};`;
            comments.push(map.commentBefore);
          },
        });
        const { text, remaining } = migrate(document.toString());
        expect([text, remaining]).toEqual([text, []]);
        const missing = comments.filter((comment) => !text.includes(comment));
        expect([text, missing]).toEqual([text, []]);
        expect(() => migrate(text)).toThrow(/no workflow of version 1/);
      }),
      { numRuns: 25 },
    );
  });

  it.each(['steps: [{ jq: . }]', 'version: 2\nsteps: []', 'a: [', '- x', ''])(
    '[migrate.refused] %j is refused',
    (text) => {
      expect(() => migrate(text)).toThrow(expect.objectContaining({ category: 'definition' }));
    },
  );
});
