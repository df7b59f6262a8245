import stringWidth from 'string-width';
import { expect, test } from 'vitest';
import type { RunEvent, StepFields } from '../../src/engine/events.js';
import { fitWidth } from '../../src/observe/fit-width.js';
import { LiveView } from '../../src/observe/live-view.js';
import { UsageReport } from '../../src/observe/usage-report.js';

function screen(columns = 80, color = false) {
  const state = { time: 0, written: '' };
  const report = new UsageReport();
  const view = new LiveView(
    {
      columns,
      color,
      now: () => state.time,
      write: (text) => {
        state.written += text;
      },
    },
    report,
  );
  const handle = (event: RunEvent) => {
    report.add(event);
    view.handle(event);
  };
  return { state, view, handle };
}

const step = (address: string, number: number, label: string, prefix = ''): StepFields => ({
  address,
  path: address,
  label,
  kind: 'prompt',
  number,
  prefix,
  depth: 0,
});

test('shows the innermost steps with their time, model and tokens, and the totals', () => {
  const { state, view, handle } = screen();
  handle({ type: 'step.started', input: null, ...step('steps[0]', 1, 'checks') });
  handle({ type: 'step.started', input: null, ...step('steps[0]#a>steps[0].a[0]', 1, 'tone', '[a] ') });
  handle({ type: 'step.started', input: null, ...step('steps[0]#b>steps[0].b[0]', 1, 'facts', '[b] ') });
  handle({
    type: 'model.requested',
    address: 'steps[0]#a>steps[0].a[0]/1',
    label: 'tone',
    model: 'm-1',
    round: 1,
    request: {},
  });
  handle({
    type: 'model.token',
    address: 'steps[0]#a>steps[0].a[0]/1',
    label: 'tone',
    requestName: 'request',
    text: 'x',
  });
  state.time = 61_500;
  expect(view.rows()).toEqual([
    '⠋ [a] [1] tone · 1m01s · m-1 · 1 tokens',
    '⠋ [b] [1] facts · 1m01s',
    '  1m01s',
  ]);
  handle({
    type: 'model.responded',
    responseModel: 'm',
    address: 'steps[0]#a>steps[0].a[0]/1',
    label: 'tone',
    model: 'm-1',
    round: 1,
    source: 'live',
    usage: { inputTokens: 7, cachedInputTokens: 1, cacheWriteTokens: 0, outputTokens: 3, reasoningTokens: 0 },
    startedAt: 0,
    endedAt: 1,
    reply: {},
  });
  handle({
    type: 'step.completed',
    value: null,
    attempt: 1,
    durationMs: 1,
    ...step('steps[0]#b>steps[0].b[0]', 1, 'facts', '[b] '),
  });
  expect(view.rows()).toEqual(['⠋ [a] [1] tone · 1m01s', '  1m01s · 1 model calls · 8 tokens in, 3 out']);
});

test('rows never exceed the terminal, however wide their characters are', () => {
  for (const columns of [1, 5, 10, 20, 33]) {
    const { view, handle } = screen(columns);
    handle({ type: 'step.started', input: null, ...step('steps[0]', 1, '日本語の長いラベル 👩‍👩‍👧‍👦👋') });
    for (const row of view.rows()) expect(stringWidth(row)).toBeLessThan(Math.max(columns, 1));
  }
  expect(fitWidth('日本語', 5)).toBe('日本…');
  expect(fitWidth('日本語', 6)).toBe('日本語');
});

test('printed lines stay above the view, and stopping takes the view away', () => {
  const { state, view, handle } = screen();
  view.start();
  handle({ type: 'step.started', input: null, ...step('steps[0]', 1, 'a') });
  view.print('[1] a\n');
  view.print('[2] b\n');
  view.stop();
  const shown = replay(state.written);
  expect(shown).toEqual(['[1] a', '[2] b', '']);
  expect(state.written).not.toContain('\u001b[2m');
});

const escapeCharacter = String.fromCharCode(27);
const erase = new RegExp(`${escapeCharacter}\\[(\\d+)A\\r${escapeCharacter}\\[J`);

/** The screen after the view's erase sequences were applied. */
function replay(written: string): string[] {
  let rows = [''];
  for (const part of written.split(new RegExp(`((?:${erase.source.replace('(', '(?:')})|\n)`))) {
    const up = erase.exec(part);
    if (up !== null) {
      rows = rows.slice(0, rows.length - Number(up[1]));
      rows[rows.length - 1] = '';
    } else if (part === '\n') rows.push('');
    else rows[rows.length - 1] += part;
  }
  return rows;
}
