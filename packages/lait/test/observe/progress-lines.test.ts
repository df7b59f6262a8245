import { expect, test } from 'vitest';
import type { RunEvent, StepFields } from '../../src/engine/events.js';
import { ProgressLines } from '../../src/observe/progress-lines.js';

const step = (fields: Partial<StepFields> = {}): StepFields => ({
  address: 'steps[0]',
  path: 'steps[0]',
  label: 'step-1 (jq)',
  kind: 'jq',
  number: 1,
  prefix: '',
  depth: 0,
  ...fields,
});

function lines(events: RunEvent[], verbosity = 0): string[] {
  const progress = new ProgressLines({ verbosity });
  return events.flatMap((event) => progress.lines(event));
}

const failure = (message: string) => ({ code: 'step_failed', category: 'failed' as const, message });

test('heading, steps, skipped steps and details', () => {
  expect(
    lines([
      {
        type: 'run.started',
        runId: 'r',
        workflow: 'w.yml',
        form: 'steps',
        name: 'triage',
        description: '仕分け',
      },
      { type: 'step.started', input: 'x', ...step({ label: 'classify' }) },
      { type: 'step.completed', value: 'y', attempt: 1, durationMs: 1, ...step({ label: 'classify' }) },
      { type: 'step.skipped', ...step({ number: 2, label: 'step-2 (prompt)' }) },
      { type: 'case.matched', title: 'case 1: .severity == "high"', ...step({ number: 3 }) },
      { type: 'iteration.started', index: 1, count: 4, ...step({ number: 4 }) },
      { type: 'iteration.started', index: 0, maxIterations: 5, ...step({ number: 5 }) },
      { type: 'branches.joined', keys: ['a', 'b'], ...step({ number: 6 }) },
    ]),
  ).toEqual([
    '==> triage: 仕分け',
    '[1] classify',
    '[2] step-2 (prompt) (skipped)',
    '    -> case 1: .severity == "high"',
    '    -> item 2/4',
    '    -> iteration 1/5',
    '    -> joined a, b',
  ]);
});

test('a workflow without a name is called by its file', () => {
  expect(lines([{ type: 'run.started', runId: 'r', workflow: 'flows/w.yml', form: 'steps' }])).toEqual([
    '==> flows/w.yml',
  ]);
});

test('branches have prefixes and children are indented', () => {
  expect(
    lines([
      { type: 'step.started', input: null, ...step({ prefix: '[left] ', label: 'l1' }) },
      { type: 'workflow.started', address: 'steps[1]', workflow: 'c.yml', depth: 1 },
      { type: 'step.started', input: null, ...step({ depth: 1, prefix: '[item-3] ' }) },
      { type: 'note', message: 'look', depth: 1, prefix: '[item-3] ' },
      { type: 'warning', message: 'model b answers instead' },
    ]),
  ).toEqual([
    '[left] [1] l1',
    '  ==> c.yml',
    '  [item-3] [1] step-1 (jq)',
    '  [item-3] note: look',
    'warning: model b answers instead',
  ]);
});

test('failed attempts say number, reason and wait; on_error says why it runs', () => {
  const error = failure('steps[0] failed: exit status 1');
  expect(
    lines([
      { type: 'attempt.failed', attempt: 1, maxAttempts: 2, error, waitSeconds: 3, ...step() },
      { type: 'attempt.failed', attempt: 2, maxAttempts: 2, error, waitSeconds: 0, ...step() },
      { type: 'handler.started', error, ...step() },
    ]),
  ).toEqual([
    '    -> attempt 1/2 failed: steps[0] failed: exit status 1; next in 3 s',
    '    -> attempt 2/2 failed: steps[0] failed: exit status 1',
    '    -> on_error: steps[0] failed: exit status 1',
  ]);
});

test('[progress.failed-branches] each failed branch is told of once, however deep the steps around it are', () => {
  const inner = failure('steps[0].for_each.steps[0] failed: boom 7');
  const outer = failure(`item 7: ${inner.message}`);
  const attempt = { attempt: 1, maxAttempts: 1, waitSeconds: 0 };
  expect(
    lines([
      { type: 'attempt.failed', error: inner, ...attempt, ...step({ prefix: '[item-7] ' }) },
      { type: 'attempt.failed', error: outer, ...attempt, ...step({ prefix: '[left] ' }) },
      { type: 'attempt.failed', error: outer, ...attempt, ...step() },
    ]),
  ).toEqual(['[item-7]     -> failed: steps[0].for_each.steps[0] failed: boom 7']);
});

test('[progress.printable] control characters cannot reach the terminal', () => {
  const [line] = lines([{ type: 'note', message: '\u001b[31mred\u0007 \u202e\nnext' }]);
  expect(line).toBe('note: \\x1b[31mred\\x07 \\u202e\nnext');
});

test('model and tool calls are shown with -v only', () => {
  const events: RunEvent[] = [
    { type: 'model.requested', address: 'a', label: 'draft', model: 'm', round: 2, request: {} },
    {
      type: 'tool.called',
      address: 'a',
      label: 'draft',
      tool: 'tool__t',
      arguments: { q: 1 },
      round: 1,
      callId: 'c',
    },
  ];
  expect(lines(events)).toEqual([]);
  expect(lines(events, 1)).toEqual(['    draft: asks m (round 2)', '    draft: calls tool__t {"q":1}']);
});
