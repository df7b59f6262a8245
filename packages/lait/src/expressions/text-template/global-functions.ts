import type { FilterTools } from './filter.js';
import { type CallArguments, Namespace, type TemplateFunction, type TemplateValue } from './operations.js';
import { TemplateError } from './template-error.js';

/** Longest `range()`. */
const maxRange = 100_000;

/** The functions that every template can call. */
export const globalFunctions: ReadonlyMap<string, TemplateFunction> = new Map<string, TemplateFunction>([
  ['range', range],
  ['dict', (call) => Object.fromEntries(call.named)],
  ['namespace', (call) => new Namespace(call.named)],
]);

function range(call: CallArguments, tools: FilterTools): TemplateValue {
  const numbers = call.positional.map((value) => {
    if (typeof value !== 'number' || !Number.isInteger(value))
      throw new TemplateError('range needs whole numbers');
    return value;
  });
  const [start, stop] = numbers.length < 2 ? [0, numbers[0] ?? 0] : [numbers[0]!, numbers[1]!];
  const step = numbers[2] ?? 1;
  if (step === 0) throw new TemplateError('the step of range must not be 0');
  const size = Math.max(0, Math.ceil((stop - start) / step));
  if (size > maxRange) throw new TemplateError(`range may have ${maxRange} numbers at most`);
  tools.spend(size);
  return Array.from({ length: size }, (_, index) => start + index * step);
}
