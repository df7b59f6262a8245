import { describe, expect, it } from 'vitest';
import { lintStepsWorkflow } from '../../../src/dialects/steps/lint-workflow.js';
import { line } from './load.js';

function lint(text: string): string[] {
  return lintStepsWorkflow({ file: 'w.yml', text }).diagnostics.map(line);
}

function steps(text: string): string[] {
  return lint(`steps:\n${text.replace(/^/gm, '  ')}`);
}

describe('lint of one workflow file', () => {
  it('has nothing to say about a good one', () => {
    const text = `
inputs: { lang: string }
schemas: { s: { type: object } }
agents: { a: { system: "{{ inputs.lang }} {{ steps.one }} {{ loop.index }}", output_schema: s } }
output: $steps.one
steps:
  - id: one
    jq: $inputs.lang
  - for_each: $steps.one
    steps:
      - id: acc
        jq: ($steps.acc // 0) + $loop.index
      - agent: a
  - jq: $steps.acc
`;
    expect(lint(text)).toEqual([]);
  });

  it('finds inputs that are not declared [lint.undeclared-inputs]', () => {
    const text =
      "inputs: { text: string }\nsteps:\n  - prompt: |\n      日本 {{ inputs.txet }}\n  - jq: '{a: $inputs.ghost, all: $inputs}'\n";
    expect(lint(text)).toEqual([
      "4:13 undeclared_input steps[0]: prompt reads the input 'txet', which is not declared under inputs:",
      "5:14 undeclared_input steps[1]: jq reads the input 'ghost', which is not declared under inputs:",
    ]);
  });

  it('tells equal expressions apart, which share what they are compiled to', () => {
    const text = 'inputs: { a: string }\nsteps:\n  - jq: $inputs.b\n  - group:\n      - jq: $inputs.b\n';
    expect(lint(text)).toEqual([
      "3:9 undeclared_input steps[0]: jq reads the input 'b', which is not declared under inputs:",
      "5:13 undeclared_input steps[1].group[0]: jq reads the input 'b', which is not declared under inputs:",
    ]);
  });

  it('finds steps that do not exist, run later or stay inside [lint.steps-not-there]', () => {
    const text = `
- jq: '[$steps.late, $steps["un-real"], $steps]'
- id: self
  when: $steps.self
  jq: .
- id: late
  parallel:
    a: [{ id: inner, jq: . }, { jq: $steps.inner }]
    b: [{ jq: $steps.inner }]
  output: $steps.inner
- jq: $steps.late
- id: body
  group: [{ id: part, jq: . }]
  output: $steps.part
  on_error: [{ id: rescue, jq: $steps.part }]
- jq: '[$steps.part, $steps.rescue]'
`;
    expect(steps(text).map((problem) => problem.split(', ')[0])).toEqual([
      '3:11 step_not_visible steps[0]: jq reads steps.late',
      '3:24 unknown_step steps[0]: jq reads steps.un-real',
      '5:11 step_not_visible steps[1]: when reads steps.self',
      '10:17 step_not_visible steps[2].parallel.b[0]: jq reads steps.inner',
      '11:13 step_not_visible steps[2]: output reads steps.inner',
      '16:34 step_not_visible steps[4].on_error[0]: jq reads steps.part',
    ]);
  });

  it('finds variables and loops that are not there', () => {
    expect(steps('- prompt: "{{ inptu }} {{ loop.index }}"\n')).toEqual([
      "2:17 unknown_variable steps[0]: prompt reads the variable 'inptu', which templates do not have",
      '2:29 loop_outside_loop steps[0]: prompt reads loop.index, but no for_each, while or until is around it',
    ]);
  });

  it('finds braces that ask for what templates do anyway [lint.braces]', () => {
    expect(steps('- prompt: "{{{ input }}} {{ input }} {{& input }} \\\\{{{"\n')).toEqual([
      '2:14 unneeded_braces steps[0]: prompt asks for a value that is not escaped; templates escape nothing: two braces are enough',
      '2:40 unneeded_braces steps[0]: prompt asks for a value that is not escaped; templates escape nothing: two braces are enough',
    ]);
  });

  it('finds what nothing uses [lint.unused]', () => {
    const text =
      'schemas:\n  idle_schema: { type: object }\nagents: { idle_agent: { system: s } }\nsteps:\n  - jq: .\n';
    expect(lint(text)).toEqual([
      "2:3 unused_schema: the schema 'idle_schema' is not used",
      "3:11 unused_agent: the agent 'idle_agent' is not used",
    ]);
  });

  describe('of a file with steps that cannot be read', () => {
    it('finds what is wrong in the others, too [lint.beside-errors]', () => {
      expect(lint('steps:\n  - jq: "["\n  - jq: $inputs.ghost + $steps.gone\n')).toEqual([
        expect.stringContaining('2:11 jq_syntax'),
        expect.stringContaining('3:9 undeclared_input'),
        expect.stringContaining('3:25 unknown_step'),
      ]);
    });

    it('says nothing about what those steps may have, or what is nested in them', () => {
      const text = `
schemas: { used_by_it: { type: object } }
steps:
  - { id: broken, prompt: 日本, output_schema: used_by_it, retries: 3 }
  - { id: unknown_kind, pormpt: hello }
  - for_each: .
    max_concurrency: many
    steps: [{ id: nested, jq: $inputs.ghost }]
  - jq: '[$steps.broken, $steps.unknown_kind, $steps.nested]'
`;
      expect(lint(text)).toEqual([
        expect.stringContaining('unknown_field'),
        expect.stringContaining('no_kind'),
        expect.stringContaining('wrong_type'),
      ]);
    });

    it('says nothing about inputs when not even their names can be read', () => {
      expect(lint('inputs: [a]\nsteps:\n  - jq: $inputs.a\n')).toEqual([
        expect.stringContaining('1:9 wrong_type'),
      ]);
    });

    it('knows the names of inputs whose declarations are wrong', () => {
      expect(lint('inputs: { a: 5 }\nsteps:\n  - jq: $inputs.a + $inputs.b\n')).toEqual([
        expect.stringContaining('1:14'),
        expect.stringContaining("the input 'b'"),
      ]);
    });
  });
});
