import { type FilterTools, textArgument } from './filter.js';
import { type CallArguments, Namespace, type TemplateFunction, type TemplateValue } from './operations.js';
import { TemplateError } from './template-error.js';

/** Longest `range()`. */
const maxRange = 100_000;

/** The functions that every template can call. */
export const globalFunctions: ReadonlyMap<string, TemplateFunction> = new Map<string, TemplateFunction>([
  ['range', range],
  ['dict', (call) => Object.fromEntries(call.named)],
  ['namespace', (call) => new Namespace(call.named)],
  ['cycler', cycler],
  ['joiner', joiner],
]);

/** Gives its items in turn with `next()`; `current` is the one that comes next. */
function cycler({ positional: items }: CallArguments): TemplateValue {
  if (items.length === 0) throw new TemplateError('cycler needs something to go over');
  let at = 0;
  const cycle = new Namespace(new Map([['current', items[0]!]]));
  const move = (to: number) => {
    at = to % items.length;
    cycle.fields.set('current', items[at]!);
  };
  cycle.fields.set('next', () => {
    const item = items[at]!;
    move(at + 1);
    return item;
  });
  cycle.fields.set('reset', () => {
    move(0);
    return null;
  });
  return cycle;
}

/** A function that gives nothing the first time and the separator from then on. */
function joiner(call: CallArguments): TemplateValue {
  const separator = textArgument(call, 0, 'sep', ', ');
  let used = false;
  return () => {
    const text = used ? separator : '';
    used = true;
    return text;
  };
}

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
