import { describe, expect, it } from 'vitest';
import type { RunEvent, Usage } from '../../src/engine/events.js';
import { compileJq } from '../../src/expressions/jq.js';
import type { Pricing } from '../../src/observe/usage-report.js';
import { noSettings } from '../../src/plan/settings.js';
import type { Assertion } from '../../src/testing/assertion.js';
import { checkAssertions } from '../../src/testing/check-assertions.js';
import { Observation } from '../../src/testing/observation.js';
import type { JsonValue } from '../../src/values/value.js';

const usage: Usage = {
  inputTokens: 10,
  cachedInputTokens: 5,
  cacheWriteTokens: 0,
  outputTokens: 7,
  reasoningTokens: 2,
};

function observed(value: JsonValue, events: object[] = [], pricing: [string, Pricing][] = []): Observation {
  const observation = new Observation({ lang: 'ja' }, new Map(pricing));
  for (const event of events) observation.add(event as RunEvent);
  observation.value = value;
  return observation;
}

function call(
  tool: string,
  arguments_: JsonValue,
  decision = 'allowed',
  callId = `c${Math.random()}`,
): object[] {
  const about = { address: 'a', label: 's', tool, callId, round: 1 };
  return [
    { type: 'tool.called', ...about, arguments: arguments_ },
    { type: 'tool.completed', ...about, decision, isError: false, result: '', startedAt: 0, endedAt: 0 },
  ];
}

const step = (id: string, value: JsonValue, depth = 0) => ({
  type: 'step.completed',
  id,
  value,
  depth,
  label: id,
});
const reply = (tokens: Usage | null) => ({ type: 'model.responded', label: 's', model: 'm', usage: tokens });

async function check(assertion: Assertion, observation: Observation) {
  const results = await checkAssertions([assertion], observation, {
    services: {} as never,
    settings: noSettings,
    signal: new AbortController().signal,
  });
  return results.length === 1 ? results[0]! : results;
}

describe('assertions', () => {
  it('jq sees the value, the steps and the inputs', async () => {
    const observation = observed('x', [step('s', { n: 2 })]);
    const jq = (source: string) => check({ type: 'jq', expr: compileJq(source) }, observation);
    expect(await jq('. == "x" and $steps.s.n == 2 and $inputs.lang == "ja"')).toMatchObject({ pass: true });
    expect(await jq('0')).toMatchObject({ pass: true });
    expect(await jq('null')).toMatchObject({ pass: false, message: "jq 'null' gave null for x" });
    expect(await jq('.a')).toMatchObject({ pass: false, message: expect.stringContaining('failed') });
  });

  it('[testing.tool-called] count the calls that were made, by name and arguments', async () => {
    const observation = observed(null, [
      ...call('tool__a', { n: 1 }),
      ...call('tool__a', { n: 5 }),
      ...call('tool__a', { n: 9 }, 'denied'),
      ...call('tool__b', {}),
    ]);
    const called = (rest: object) =>
      check({ type: 'tool_called', name: 'tool__a', ...rest } as Assertion, observation);
    expect(await called({})).toMatchObject({ pass: true });
    expect(await called({ min: 2, max: 2 })).toMatchObject({ pass: true });
    expect(await called({ args_jq: compileJq('.n > 3'), max: 1 })).toMatchObject({ pass: true });
    expect(await called({ name: 'tool__c', max: 0 })).toMatchObject({ pass: true });
    const failed = (await called({ min: 3 })) as { message: string };
    expect(failed.message).toContain('was called 2 times, not at least 3 times');
    expect(failed.message).toContain('tool__b {}');
    expect(await called({ max: 0 })).toMatchObject({ pass: false });
  });

  it('[testing.usage] limit tokens, requests and cost, and never take unknown for nothing', async () => {
    const priced = observed(
      null,
      [reply(usage), reply(usage)],
      [['m', { input_per_million: 1_000_000, output_per_million: 1_000_000 }]],
    );
    const limit = (limits: object, observation = priced) =>
      check({ type: 'usage', ...limits } as Assertion, observation);
    expect(await limit({ max_input_tokens: 30, max_output_tokens: 14, max_total_tokens: 44 })).toMatchObject({
      pass: true,
    });
    expect(await limit({ max_input_tokens: 29, max_requests: 1 })).toMatchObject({
      message: 'input tokens: 30, at most 29 (max_input_tokens); requests: 2, at most 1 (max_requests)',
    });
    expect(await limit({ max_cost: 44 })).toMatchObject({ pass: true });
    expect(await limit({ max_cost: 43 })).toMatchObject({ pass: false });
    const unknown = observed(null, [reply(null)]);
    expect(await limit({ max_total_tokens: 100 }, unknown)).toMatchObject({ pass: false });
    expect(await limit({ max_cost: 100 }, unknown)).toMatchObject({
      pass: false,
      message: expect.stringContaining('unknown'),
    });
  });

  it('step_output looks at the last value of a step of the workflow itself', async () => {
    const observation = observed(null, [step('s', 'one'), step('s', 'two'), step('s', 'of a child', 1)]);
    const output = (id: string, value: string) =>
      check({ type: 'step_output', id, assert: [{ type: 'equals', value }] }, observation);
    expect(await output('s', 'two')).toMatchObject({ pass: true, path: 'assert[0].assert[0]' });
    expect(await output('s', 'one')).toMatchObject({
      pass: false,
      message: expect.stringContaining("step 's'"),
    });
    expect(await output('ss', 'x')).toMatchObject({ pass: false, message: expect.stringContaining("'s'") });
    expect(await output('constructor', 'x')).toMatchObject({ pass: false });
  });
});
