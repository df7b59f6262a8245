import type { RunEvent, Usage } from '../engine/events.js';
import { costOf, type Pricing } from '../models/pricing.js';
import type { ModelEntry } from '../plan/settings.js';

export { costOf, type Pricing } from '../models/pricing.js';

const noPricing: ReadonlyMap<string, Pricing> = new Map();

interface Line {
  label: string;
  calls: number;
  /** Calls of which the server said nothing about tokens. */
  unreported: number;
  usage: Usage;
  /** What the calls cost by the prices, whoever answered. */
  cost: number;
  /** The part of it that live answers cost: those from recordings and the cache are free. */
  spent: number;
  /** False as soon as one call has no known price. */
  priced: boolean;
}

/** Usage as JSON: the parts are disjoint but `reasoning_tokens`, which is part of `output_tokens`. */
export interface UsageJson {
  input_tokens: number;
  cached_input_tokens: number;
  cache_write_tokens: number;
  output_tokens: number;
  reasoning_tokens: number;
  total_tokens: number;
}

/** Adds up what model calls used, per step and in all; failed steps and repeated attempts count too. FR-34. */
export class UsageReport {
  readonly #pricing: ReadonlyMap<string, Pricing>;
  readonly #lines = new Map<string, Line>();

  constructor(pricing: ReadonlyMap<string, Pricing> = noPricing) {
    this.#pricing = pricing;
  }

  add(event: RunEvent): void {
    if (event.type !== 'model.responded') return;
    let line = this.#lines.get(event.label);
    if (line === undefined) {
      line = {
        label: event.label,
        calls: 0,
        unreported: 0,
        usage: noUsage(),
        cost: 0,
        spent: 0,
        priced: true,
      };
      this.#lines.set(event.label, line);
    }
    line.calls += 1;
    if (event.usage === null) {
      line.unreported += 1;
      line.priced = false;
      return;
    }
    line.usage = sum(line.usage, event.usage);
    const cost = costOf(event.usage, this.#pricing.get(event.model));
    if (cost === undefined) {
      line.priced = false;
      return;
    }
    line.cost += cost;
    if (event.source === 'live') line.spent += cost;
  }

  /** The whole run's usage; null when no server reported any. */
  total(): UsageJson | null {
    if (this.#lines.size === 0) return null;
    const lines = [...this.#lines.values()].filter(({ calls, unreported }) => calls > unreported);
    if (lines.length === 0) return null;
    const usage = lines.map((line) => line.usage).reduce(sum);
    return {
      input_tokens: usage.inputTokens,
      cached_input_tokens: usage.cachedInputTokens,
      cache_write_tokens: usage.cacheWriteTokens,
      output_tokens: usage.outputTokens,
      reasoning_tokens: usage.reasoningTokens,
      total_tokens: usage.inputTokens + usage.cachedInputTokens + usage.cacheWriteTokens + usage.outputTokens,
    };
  }

  /** Lines for `--show-usage`: one per step that called a model, then the sum. */
  text(): string[] {
    const lines = [...this.#lines.values()];
    if (lines.length === 0) return ['usage: no model was called'];
    const all: Line = {
      label: 'total',
      calls: add(lines, 'calls'),
      unreported: add(lines, 'unreported'),
      usage: lines.map((line) => line.usage).reduce(sum),
      cost: add(lines, 'cost'),
      spent: add(lines, 'spent'),
      priced: lines.every((line) => line.priced),
    };
    return ['usage:', ...lines.map(lineText), ...(lines.length > 1 ? [lineText(all)] : [])];
  }

  /**
   * What the run costs when every answer is live; null when the price of a call is not known, which is never the same
   * as free.
   */
  cost(): number | null {
    const lines = [...this.#lines.values()];
    return lines.every((line) => line.priced) ? add(lines, 'cost') : null;
  }

  /** Tokens in and out and the number of calls so far. */
  counts(): { calls: number; input: number; output: number } {
    const lines = [...this.#lines.values()];
    const total = this.total();
    return {
      calls: add(lines, 'calls'),
      input: total === null ? 0 : total.total_tokens - total.output_tokens,
      output: total?.output_tokens ?? 0,
    };
  }
}

/** Prices by model id, from alias lists: those of a list's first entry count. Source: facts §4. */
export function pricingOf(
  ...aliases: readonly (Readonly<Record<string, readonly ModelEntry[]>> | undefined)[]
): Map<string, Pricing> {
  const pricing = new Map<string, Pricing>();
  for (const entries of aliases.flatMap((models) => Object.values(models ?? {}))) {
    const [first] = entries;
    const prices = first?.pricing as Pricing | undefined;
    if (first !== undefined && prices !== undefined) pricing.set(first.model_id, prices);
  }
  return pricing;
}

function lineText(line: Line): string {
  const { usage, calls, unreported } = line;
  const input = usage.inputTokens + usage.cachedInputTokens + usage.cacheWriteTokens;
  const parts = [`${calls} ${calls === 1 ? 'call' : 'calls'}`];
  if (unreported < calls) {
    const cached = usage.cachedInputTokens > 0 ? ` (${usage.cachedInputTokens} cached)` : '';
    const reasoning = usage.reasoningTokens > 0 ? ` (${usage.reasoningTokens} reasoning)` : '';
    parts.push(`${input} tokens in${cached}`, `${usage.outputTokens} out${reasoning}`);
    parts.push(`cost ${line.priced ? amount(line.spent) : 'unknown'}`);
    if (line.priced && line.spent < line.cost) parts.push(`would have cost ${amount(line.cost)}`);
  }
  if (unreported > 0) parts.push(`${unreported} without a token count`);
  return `  ${line.label}: ${parts.join(', ')}`;
}

function amount(cost: number): string {
  return cost.toFixed(6).replace(/0{1,4}$/, '');
}

function add(lines: readonly Line[], field: 'calls' | 'unreported' | 'cost' | 'spent'): number {
  return lines.reduce((total, line) => total + line[field], 0);
}

function sum(a: Usage, b: Usage): Usage {
  return {
    inputTokens: a.inputTokens + b.inputTokens,
    cachedInputTokens: a.cachedInputTokens + b.cachedInputTokens,
    cacheWriteTokens: a.cacheWriteTokens + b.cacheWriteTokens,
    outputTokens: a.outputTokens + b.outputTokens,
    reasoningTokens: a.reasoningTokens + b.reasoningTokens,
  };
}

function noUsage(): Usage {
  return { inputTokens: 0, cachedInputTokens: 0, cacheWriteTokens: 0, outputTokens: 0, reasoningTokens: 0 };
}
