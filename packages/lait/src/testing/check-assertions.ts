import { messageChain } from '../errors/lait-error.js';
import type { Expression } from '../expressions/expression.js';
import { didYouMean } from '../plan/suggest.js';
import { shownJson, textOf } from '../values/text.js';
import type { JsonValue, Value } from '../values/value.js';
import type { Assertion, AssertionResult, UsageLimits, ValueAssertion } from './assertion.js';
import { differenceOf, holds } from './compare-values.js';
import { type JudgeOptions, judge } from './judge.js';
import type { Observation } from './observation.js';

/** Checks every assertion, also behind one that failed. Throws only what `judge` throws when it is cancelled. */
export async function checkAssertions(
  assertions: readonly Assertion[],
  observation: Observation,
  options: JudgeOptions,
): Promise<AssertionResult[]> {
  const results: AssertionResult[] = [];
  for (const [index, assertion] of assertions.entries()) {
    const path = `assert[${index}]`;
    if (assertion.type === 'step_output') {
      results.push(...(await checkStep(assertion, path, observation, options)));
      continue;
    }
    const message =
      assertion.type === 'tool_called'
        ? toolProblem(assertion, observation)
        : assertion.type === 'usage'
          ? usageProblem(assertion, observation)
          : await valueProblem(assertion, observation.value, observation, options);
    results.push(resultOf(path, assertion.type, message));
  }
  return results;
}

function resultOf(path: string, type: Assertion['type'], message: string | undefined): AssertionResult {
  return message === undefined ? { path, type, pass: true } : { path, type, pass: false, message };
}

async function checkStep(
  { id, assert }: Extract<Assertion, { type: 'step_output' }>,
  path: string,
  observation: Observation,
  options: JudgeOptions,
): Promise<AssertionResult[]> {
  const { has, value } = observation.step(id);
  if (!has) {
    const known = observation.stepIds;
    const hint = didYouMean(id, known) ?? `steps with a value: ${known.join(', ') || 'none'}`;
    return [
      resultOf(
        path,
        'step_output',
        `the step '${id}' has no value: it was not reached, or does not exist; ${hint}`,
      ),
    ];
  }
  const results: AssertionResult[] = [];
  for (const [index, assertion] of assert.entries()) {
    const message = await valueProblem(assertion, value, observation, options);
    results.push(
      resultOf(
        `${path}.assert[${index}]`,
        assertion.type,
        message && `the value of step '${id}': ${message}`,
      ),
    );
  }
  return results;
}

/** Undefined when the assertion holds. */
async function valueProblem(
  assertion: ValueAssertion,
  value: Value,
  observation: Observation,
  options: JudgeOptions,
): Promise<string | undefined> {
  switch (assertion.type) {
    case 'equals': {
      const difference = await differenceOf(assertion.value, value);
      return difference && `the value is another one (- expected, + actual)\n${difference}`;
    }
    case 'contains':
      if (holds(value, assertion.value)) return undefined;
      return `${JSON.stringify(assertion.value)} is not in ${shortened(value)}`;
    case 'jq': {
      const judged = truth(assertion.expr, value, observation);
      return judged.holds
        ? undefined
        : `jq '${assertion.expr.source}' ${judged.gave} for ${shortened(value)}`;
    }
    case 'llm_judge':
      try {
        const { pass, reason } = await judge(value, assertion, options);
        return pass ? undefined : `the judge says no: ${reason}`;
      } catch (error) {
        options.signal.throwIfAborted();
        return `the judge failed: ${messageChain(error)}`;
      }
  }
}

function truth(expression: Expression<JsonValue>, value: Value, observation: Observation) {
  try {
    const given = expression.evaluate(observation.scope(value));
    return { holds: given !== false && given !== null, gave: `gave ${shownJson(given)}` };
  } catch (error) {
    return { holds: false, gave: `failed (${messageChain(error)})` };
  }
}

function toolProblem(
  { name, min, max = Number.POSITIVE_INFINITY, args_jq }: Extract<Assertion, { type: 'tool_called' }>,
  observation: Observation,
): string | undefined {
  const least = min ?? (max === 0 ? 0 : 1);
  const named = observation.toolCalls.filter((call) => call.name === name);
  const fitting =
    args_jq === undefined ? named : named.filter((call) => truth(args_jq, call.arguments, observation).holds);
  const count = fitting.length;
  if (count >= least && count <= max) return undefined;
  const wanted =
    least === max
      ? times(max)
      : max === Number.POSITIVE_INFINITY
        ? `at least ${times(least)}`
        : `${least} to ${times(max)}`;
  const which = args_jq === undefined ? '' : ` with arguments that fit '${args_jq.source}'`;
  const calls = observation.toolCalls.map((call) => `\n  ${call.name} ${shortened(call.arguments)}`).join('');
  return `${name} was called ${times(count)}${which}, not ${wanted}; calls:${calls || ' none'}`;
}

function times(count: number): string {
  return count === 1 ? 'once' : `${count} times`;
}

function usageProblem(limits: UsageLimits, { usage }: Observation): string | undefined {
  const total = usage.total();
  const cost = usage.cost();
  const actual: Record<keyof UsageLimits, number | null> = {
    max_input_tokens: total && total.input_tokens + total.cached_input_tokens + total.cache_write_tokens,
    max_output_tokens: total?.output_tokens ?? null,
    max_total_tokens: total?.total_tokens ?? null,
    max_requests: usage.counts().calls,
    max_cost: cost,
  };
  const problems = (Object.keys(actual) as (keyof UsageLimits)[]).flatMap((limit) => {
    const most = limits[limit];
    const used = actual[limit];
    if (most === undefined) return [];
    const what = limit.slice('max_'.length).replace('_', ' ');
    if (used === null) {
      return [
        limit === 'max_cost'
          ? 'the cost is unknown: a model has no pricing, or a server reported no tokens'
          : `${what}: no server reported how many`,
      ];
    }
    return used <= most ? [] : [`${what}: ${used}, at most ${most} (${limit})`];
  });
  return problems.length === 0 ? undefined : problems.join('; ');
}

function shortened(value: Value): string {
  const characters = [...textOf(value)];
  return characters.length > 500 ? `${characters.slice(0, 499).join('')}…` : characters.join('') || "''";
}
