import { describe, expect, it } from 'vitest';
import { load, planOf, problems } from './load.js';

describe('where stop, break, questions and fixed paths may stand [placement]', () => {
  it.each([
    [
      'stop in a branch',
      'parallel: { a: [{ stop: true }], b: [{ jq: . }] }',
      "stop_in_concurrent steps[0].parallel.a[0]: stop cannot be used inside branch 'a' of parallel",
    ],
    [
      'stop in a concurrent item, deep inside',
      'for_each: .\nmax_concurrency: 2\nsteps: [{ group: [{ switch: [{ when: ., steps: [{ stop: true }] }] }] }]',
      'stop_in_concurrent steps[0].for_each.steps[0].group[0].switch[0].steps[0]',
    ],
    [
      'stop in on_error of a concurrent item',
      'for_each: .\nmax_concurrency: 2\nsteps: [{ jq: ., on_error: [{ stop: true }] }]',
      'stop_in_concurrent steps[0].for_each.steps[0].on_error[0]',
    ],
    [
      'break outside',
      'break: true',
      'break_outside_loop steps[0]: break is only allowed inside for_each, while or until',
    ],
    ['break in a group outside', 'group: [{ break: true }]', 'break_outside_loop steps[0].group[0]'],
    [
      'break in on_error outside',
      'jq: .\non_error: [{ break: true }]',
      'break_outside_loop steps[0].on_error[0]',
    ],
    [
      'break out of a branch',
      'for_each: .\nsteps: [{ parallel: { a: [{ break: true }] } }]',
      "break_outside_loop steps[0].for_each.steps[0].parallel.a[0]: break is only allowed inside for_each, while or until: it cannot leave branch 'a' of parallel",
    ],
    [
      'break out of a concurrent for_each',
      'for_each: .\nmax_concurrency: 2\nsteps: [{ break: true }]',
      'break_outside_loop steps[0].for_each.steps[0]: break is only allowed inside for_each, while or until: it cannot leave a concurrent for_each',
    ],
    [
      'a question in a branch',
      'parallel: { a: [{ ask: "?" }] }',
      'question_in_concurrent steps[0].parallel.a[0]',
    ],
    [
      'a question in a loop in a branch',
      'parallel: { a: [{ until: ., max_iterations: 1, steps: [{ ask: "?" }] }] }',
      'question_in_concurrent steps[0].parallel.a[0].until.steps[0]',
    ],
    [
      'a fixed path in concurrent items',
      'for_each: .\nmax_concurrency: 2\nsteps: [{ write: a.txt }]',
      "fixed_write_in_concurrent steps[0].for_each.steps[0]: write: all items would write the same file 'a.txt'",
    ],
    [
      'a fixed path in a branch in concurrent items',
      'for_each: .\nmax_concurrency: 2\nsteps: [{ parallel: { a: [{ write: a.txt }] } }]',
      'fixed_write_in_concurrent steps[0].for_each.steps[0].parallel.a[0]',
    ],
    [
      'a fixed path in a sequential loop in concurrent items',
      'for_each: .\nmax_concurrency: 2\nsteps: [{ for_each: ., steps: [{ write: "a{{! x }}.txt" }] }]',
      'fixed_write_in_concurrent',
    ],
  ])('%s is refused', (_, text, expected) => {
    const found = problems(`steps:\n  - ${text.replaceAll('\n', '\n    ')}`);
    expect(found).toHaveLength(1);
    expect(found[0]?.replace(/^\d+:\d+ /, '')).toContain(expected);
  });

  it.each([
    [
      'stop deep inside sequential steps',
      'group: [{ for_each: ., steps: [{ switch: [{ when: ., steps: [{ stop: true }] }] }] }]',
    ],
    [
      'break through switch, group and on_error',
      'for_each: .\nsteps: [{ group: [{ switch: [{ when: ., steps: [{ jq: ., on_error: [{ break: true }] }] }] }] }]',
    ],
    [
      'break in while and until',
      'while: .\nmax_iterations: 1\nsteps: [{ until: ., max_iterations: 1, steps: [{ break: true }] }, { break: true }]',
    ],
    ['break of a loop inside a branch', 'parallel: { a: [{ for_each: ., steps: [{ break: true }] }] }'],
    [
      'break of a loop inside a concurrent item',
      'for_each: .\nmax_concurrency: 2\nsteps: [{ for_each: ., steps: [{ break: true }] }]',
    ],
    [
      'max_concurrency 1',
      'for_each: .\nmax_concurrency: 1\nsteps: [{ ask: "?" }, { write: a.txt }, { stop: true }]',
    ],
    [
      'a path with a template in concurrent items',
      'for_each: .\nmax_concurrency: 2\nsteps: [{ write: "{{ loop.index }}.txt" }]',
    ],
    ['a fixed path in a branch', 'parallel: { a: [{ write: a.txt }] }'],
    ['a question in sequential steps', 'group: [{ ask: "?" }]'],
  ])('%s is fine', (_, text) => {
    expect(problems(`steps:\n  - ${text.replaceAll('\n', '\n    ')}`)).toEqual([]);
  });

  it('is checked also around steps with other problems [steps.placement]', () => {
    const text = 'steps:\n  - parallel:\n      a:\n        - jq: "["\n        - stop: true\n';
    expect(load(text).diagnostics.map(({ code }) => code)).toEqual(['jq_syntax', 'stop_in_concurrent']);
  });
});

describe('what a concurrent caller must refuse', () => {
  it('is named with the step', () => {
    const plan = planOf(
      'steps:\n  - id: q\n    ask: "?"\n  - group: [{ write: out.txt }]\n  - write: "{{ input }}"\n',
    );
    expect(plan.restrictions).toEqual([
      {
        where: 'any',
        code: 'question_in_concurrent',
        path: 'steps[0]',
        id: 'q',
        message: "ask cannot be used where steps run at the same time: steps[0] (id 'q')",
        position: expect.objectContaining({ line: 2 }),
      },
      {
        where: 'items',
        code: 'fixed_write_in_concurrent',
        path: 'steps[1].group[0]',
        message: expect.stringContaining("write: all items would write the same file 'out.txt'"),
        position: expect.objectContaining({ line: 4 }),
      },
    ]);
  });

  it('is nothing in a workflow that may run anywhere', () => {
    expect(planOf('steps: [{ jq: . }, { stop: true }]').restrictions).toBeUndefined();
  });
});
