import { StepError } from '../errors/errors.js';
import type { Block } from '../plan/plan.js';
import type { JsonValue, Value } from '../values/value.js';
import { completed, type Kind, type StepContext } from './kind.js';

interface ForeachFields {
  body: Block;
  /** The body's id: the results are recorded under it. */
  id: string;
  concurrency: number;
}

/** More elements than this are refused: `length` may be any number a program wrote. */
const mostElements = 1_000_000;

/**
 * `foreach` of the dynamic form: the body once for each element of anything with a length. Results in the elements'
 * order; an element without a result leaves a hole. Source: dynamic seed, Foreach エントリ; facts §4.
 */
export const foreachKind: Kind<ForeachFields> = {
  name: 'foreach',
  shape: 'control',
  description: 'Runs a step for each element; the value is the array of results.',
  effects: 'none',
  blocks: ({ body, concurrency }) => [
    {
      name: 'step',
      title: 'for each element',
      block: body,
      repeated: true,
      optional: true,
      concurrent: concurrency > 1,
    },
  ],
  async execute(fields, context) {
    const elements = elementsOf(context.input);
    const values =
      fields.concurrency > 1
        ? await concurrently(elements, fields, context)
        : await oneByOne(elements, fields, context);
    const results: JsonValue[] = [];
    values.forEach((value, index) => {
      if (value !== undefined) results[index] = value;
    });
    context.record(fields.id, results);
    return completed(results);
  },
};

async function oneByOne(
  elements: readonly Value[],
  { body }: ForeachFields,
  context: StepContext,
): Promise<Value[]> {
  const values: Value[] = [];
  for (const [index, item] of elements.entries()) {
    announce(index, elements.length, context);
    const { value } = await context.runBlock(body, item, {
      key: index,
      loop: { index, item },
      isolated: true,
    });
    values.push(value);
    if (context.listening) {
      context.emit({
        type: 'iteration.completed',
        index,
        count: elements.length,
        value,
        ...context.eventFields(),
      });
    }
  }
  return values;
}

async function concurrently(
  elements: readonly Value[],
  { body, concurrency }: ForeachFields,
  context: StepContext,
): Promise<Value[]> {
  const branches = elements.map((item, index) => ({
    key: String(index),
    block: body,
    value: item,
    loop: { index, item },
    prefix: `[item-${index}] `,
  }));
  return context.runBranches(branches, { maxConcurrency: concurrency });
}

function announce(index: number, count: number, context: StepContext): void {
  if (context.listening) context.emit({ type: 'iteration.started', index, count, ...context.eventFields() });
}

/** Arrays as they are; of texts the code units; of other objects the members 0 to `length`; else nothing. */
function elementsOf(value: Value): readonly Value[] {
  if (value === undefined || value === null) {
    const name = value === null ? 'null' : 'no value';
    throw new StepError({
      code: 'foreach_without_elements',
      message: `foreach needs elements, it got ${name}`,
    });
  }
  if (typeof value === 'string')
    return bounded(value.length) && Array.from({ length: value.length }, (_, index) => value[index]);
  if (Array.isArray(value)) return bounded(value.length) && Array.from(value);
  if (typeof value !== 'object' || !Object.hasOwn(value, 'length')) return [];
  const length = Math.ceil(Number(value.length));
  if (!(length > 0)) return [];
  bounded(length);
  return Array.from({ length }, (_, index) =>
    Object.hasOwn(value, String(index)) ? value[String(index)] : undefined,
  );
}

function bounded(length: number): true {
  if (length <= mostElements) return true;
  throw new StepError({
    code: 'too_many_elements',
    message: `foreach takes at most ${mostElements} elements, it got ${length}`,
  });
}
