import type { Expression } from '../expressions/expression.js';
import type { Block } from '../plan/plan.js';
import { type JsonObject, setOwnProperty } from '../values/value.js';
import { completed, type Kind } from './kind.js';

interface ConditionalBranch {
  id: string;
  predicate: Expression<boolean>;
  /** The predicate for people. */
  condition: string;
  block: Block;
}

interface ConditionalFields {
  branches: readonly ConditionalBranch[];
}

/**
 * `conditional` of the dynamic form: every branch whose predicate holds, at the same time, on the same input. The value
 * has a key for each branch, without a value where it did not run. Source: dynamic seed, Conditional エントリ.
 */
export const conditionalKind: Kind<ConditionalFields> = {
  name: 'conditional',
  shape: 'control',
  description: 'Runs every branch whose predicate holds; the value maps each branch to its result.',
  effects: 'none',
  blocks: ({ branches }) =>
    branches.map(({ id, condition, block }) => ({
      name: id,
      title: `${id}: ${condition}`,
      block,
      concurrent: true,
      optional: true,
    })),
  expressions: ({ branches }) =>
    branches.map(({ id, predicate }) => ({ name: `predicate of ${id}`, expression: predicate })),
  async execute({ branches }, context) {
    const matching = branches.filter(({ predicate }) => context.evaluate(predicate));
    if (context.listening) {
      for (const { id } of matching)
        context.emit({ type: 'case.matched', title: id, ...context.eventFields() });
    }
    const values = await context.runBranches(
      matching.map(({ id, block }) => ({ key: id, block, value: context.input, prefix: `[${id}] ` })),
      { maxConcurrency: matching.length, failure: 'declared' },
    );
    const result: JsonObject = {};
    for (const { id } of branches) setOwnProperty(result, id, undefined);
    matching.forEach(({ id }, index) => {
      setOwnProperty(result, id, values[index]);
      context.record(id, values[index]);
    });
    return completed(result);
  },
};
