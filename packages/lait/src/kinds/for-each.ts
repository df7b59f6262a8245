import { itemFailure } from '../engine/failure.js';
import { StepError } from '../errors/errors.js';
import type { Expression } from '../expressions/expression.js';
import type { Block } from '../plan/plan.js';
import type { JsonValue } from '../values/value.js';
import { type Completion, completed, type Kind, type StepContext } from './kind.js';

interface ForEachFields {
  for_each: Expression;
  max_concurrency?: number;
  steps: Block;
}

/** `for_each`: the body once per element; results in the elements' order. Source: steps seed, `for_each`. */
export const forEachKind: Kind<ForEachFields> = {
  name: 'for_each',
  shape: 'control',
  description: 'Runs steps for each element of an array; the value is the array of results.',
  fields: {
    for_each: { type: 'jq', required: true, description: 'The array to go through.' },
    max_concurrency: {
      type: 'integer',
      minimum: 1,
      description: 'How many elements are processed at once. Default 1: one after the other.',
    },
    steps: { type: 'block', required: true, description: 'The body; its input is the element.' },
  },
  effects: 'none',
  loop: true,
  blocks: ({ steps, max_concurrency: concurrency = 1 }) => [
    {
      name: 'steps',
      title: 'for each element',
      block: steps,
      repeated: true,
      optional: true,
      concurrent: concurrency > 1,
      unit: concurrency > 1 ? 'items' : undefined,
    },
  ],
  expressions: ({ for_each }) => [{ name: 'for_each', expression: for_each }],
  execute(fields, context) {
    const items = context.evaluate(fields.for_each);
    if (!Array.isArray(items)) {
      const message = `for_each needs an array, got ${items === null ? 'null' : typeof items}`;
      throw new StepError({ code: 'not_an_array', message });
    }
    const { max_concurrency: concurrency = 1 } = fields;
    return concurrency > 1
      ? concurrently(items, concurrency, fields, context)
      : oneByOne(items, fields, context);
  },
};

/** Recorded steps carry over from element to element; a break keeps the value at hand as the last result. */
async function oneByOne(
  items: readonly JsonValue[],
  { steps }: ForEachFields,
  context: StepContext,
): Promise<Completion> {
  const results: JsonValue[] = [];
  const kept = context.itemLog?.open(context.address, items);
  for (const [id, value] of Object.entries(kept?.steps ?? {})) context.record(id, value);
  for (let index = 0; index < items.length; index += 1) {
    const item = items[index]!;
    if (kept?.results.has(index) === true) {
      results.push(kept.results.get(index)!);
      continue;
    }
    announce(index, items.length, context);
    const completion = await inItem(index, item, steps, context);
    if (completion.control === 'stop') return completion;
    results.push(completion.value ?? null);
    if (context.listening) {
      const { value } = completion;
      context.emit({
        type: 'iteration.completed',
        index,
        count: items.length,
        value,
        ...context.eventFields(),
      });
    }
    if (completion.control === 'break') break;
    context.itemLog?.finished(`${context.address}/${index}`, completion.value, context.scope.allSteps());
  }
  return completed(results);
}

/** One element; its failure says where, as one of a concurrent list does. */
async function inItem(
  index: number,
  item: JsonValue,
  steps: Block,
  context: StepContext,
): Promise<Completion> {
  try {
    return await context.runBlock(steps, item, { key: index, loop: { index, item } });
  } catch (error) {
    context.cancel.throwIfCancelled();
    throw itemFailure(error, index, item);
  }
}

async function concurrently(
  items: readonly JsonValue[],
  maxConcurrency: number,
  { steps }: ForEachFields,
  context: StepContext,
): Promise<Completion> {
  const kept = context.itemLog?.open(context.address, items).results ?? new Map<number, JsonValue>();
  const open = [...items.keys()].filter((index) => !kept.has(index));
  const branches = open.map((index) => ({
    key: String(index),
    block: steps,
    value: items[index]!,
    loop: { index, item: items[index]! },
    prefix: `[item-${index}] `,
  }));
  const values = await context.runBranches(branches, { maxConcurrency, unit: 'items' });
  const results = new Map([...kept, ...open.map((index, at) => [index, values[at] ?? null] as const)]);
  return completed(items.map((_, index) => results.get(index)!));
}

function announce(index: number, count: number, context: StepContext): void {
  if (context.listening) context.emit({ type: 'iteration.started', index, count, ...context.eventFields() });
}
