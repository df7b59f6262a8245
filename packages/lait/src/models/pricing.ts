import type { Usage } from '../engine/events.js';

/** Prices of a million tokens, in whatever currency the author of the file means. */
export interface Pricing {
  input_per_million?: number;
  cached_input_per_million?: number;
  output_per_million?: number;
}

/** What a reply costs; undefined when its price is not known. */
export function costOf(usage: Usage, pricing: Pricing | undefined): number | undefined {
  if (!isPriced(pricing)) return undefined;
  const cached = pricing.cached_input_per_million ?? pricing.input_per_million;
  const input = (usage.inputTokens + usage.cacheWriteTokens) * pricing.input_per_million;
  return (input + usage.cachedInputTokens * cached + usage.outputTokens * pricing.output_per_million) / 1e6;
}

/** Whether prices are enough to know what a reply costs. */
export function isPriced(
  pricing: Pricing | undefined,
): pricing is Pricing & { input_per_million: number; output_per_million: number } {
  return pricing?.input_per_million !== undefined && pricing.output_per_million !== undefined;
}
