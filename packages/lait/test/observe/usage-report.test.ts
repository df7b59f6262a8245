import fc from 'fast-check';
import { expect, test } from 'vitest';
import type { RunEvent, Usage } from '../../src/engine/events.js';
import { pricingOf, UsageReport } from '../../src/observe/usage-report.js';

const responded = (label: string, usage: Usage | null, model = 'm'): RunEvent => ({
  type: 'model.responded',
  responseModel: 'm',
  address: label,
  label,
  model,
  round: 1,
  source: 'live',
  usage,
  startedAt: 0,
  endedAt: 1,
  reply: {},
});

const usage = (inputTokens: number, outputTokens: number, cachedInputTokens = 0): Usage => ({
  inputTokens,
  cachedInputTokens,
  cacheWriteTokens: 0,
  outputTokens,
  reasoningTokens: 0,
});

test('usage is null when no server reported any', () => {
  const report = new UsageReport();
  expect(report.total()).toBeNull();
  expect(report.text()).toEqual(['usage: no model was called']);
  report.add(responded('a', null));
  expect(report.total()).toBeNull();
  expect(report.text()).toEqual(['usage:', '  a: 1 call, 1 without a token count']);
});

test('[usage.disjoint] cached tokens are priced once, and an unknown price is never zero', () => {
  const entry = {
    model_id: 'm',
    pricing: { input_per_million: 2, cached_input_per_million: 1, output_per_million: 4 },
  };
  const report = new UsageReport(
    pricingOf({ main: [entry, { model_id: 'x', pricing: entry.pricing }] }, undefined),
  );
  report.add(responded('draft', usage(500_000, 250_000, 1_000_000)));
  expect(report.text()).toEqual([
    'usage:',
    '  draft: 1 call, 1500000 tokens in (1000000 cached), 250000 out, cost 3.00',
  ]);
  report.add(responded('check', usage(10, 5), 'x'));
  expect(report.text().slice(2)).toEqual([
    '  check: 1 call, 10 tokens in, 5 out, cost unknown',
    '  total: 2 calls, 1500010 tokens in (1000000 cached), 250005 out, cost unknown',
  ]);
});

test('[usage.replay-is-free] answers from recordings and the cache cost nothing, and the report says what they would have cost', () => {
  const entry = { model_id: 'm', pricing: { input_per_million: 2, output_per_million: 4 } };
  const report = new UsageReport(pricingOf({ main: [entry] }));
  const replayed = responded('draft', usage(1_000_000, 0));
  for (const source of ['replay', 'cache', 'live'] as const) {
    report.add({ ...replayed, source } as RunEvent);
  }
  expect(report.text()[1]).toBe(
    '  draft: 3 calls, 3000000 tokens in, 0 out, cost 2.00, would have cost 6.00',
  );
  expect(report.cost()).toBe(6);
});

test('the total is the sum of the disjoint parts', () => {
  const count = fc.nat(10_000);
  const calls = fc.array(fc.tuple(fc.constantFrom('a', 'b'), count, count, count), { minLength: 1 });
  fc.assert(
    fc.property(calls, (list) => {
      const report = new UsageReport();
      for (const [label, input, output, cached] of list)
        report.add(responded(label, usage(input, output, cached)));
      const sum = (index: 1 | 2 | 3) => list.reduce((total, call) => total + call[index], 0);
      expect(report.total()).toMatchObject({
        input_tokens: sum(1),
        output_tokens: sum(2),
        cached_input_tokens: sum(3),
        total_tokens: sum(1) + sum(2) + sum(3),
      });
    }),
  );
});
