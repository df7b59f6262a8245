import type { Block } from '../plan/plan.js';
import { type JsonObject, setOwnProperty } from '../values/value.js';
import { completed, type Kind } from './kind.js';

interface ParallelFields {
  parallel: Readonly<Record<string, Block>>;
  /**
   * The dynamic form: each result is recorded under its branch's name, of several failures the first declared one is
   * reported, and any step may wait for an answer.
   */
  declared?: boolean;
}

/** `parallel`: branches side by side on the same input. Source: steps seed, `parallel`. */
export const parallelKind: Kind<ParallelFields> = {
  name: 'parallel',
  shape: 'control',
  description: 'Runs branches at the same time on the same input; the value maps each branch to its result.',
  fields: {
    parallel: {
      type: 'map',
      names: 'identifier',
      values: { type: 'block' },
      minEntries: 1,
      required: true,
      description: 'The branches: a name each, with its steps.',
    },
  },
  effects: 'none',
  blocks: ({ parallel, declared = false }) =>
    Object.entries(parallel).map(([name, block]) => ({
      name: `parallel.${name}`,
      title: name,
      block,
      concurrent: true,
      unit: declared ? undefined : 'branches',
    })),
  async execute({ parallel, declared = false }, context) {
    const branches = Object.entries(parallel).map(([key, block]) => ({
      key,
      block,
      value: context.input,
      prefix: `[${key}] `,
    }));
    const values = await context.runBranches(branches, {
      maxConcurrency: branches.length,
      ...(declared ? { failure: 'declared' } : { unit: 'branches' }),
    });
    const result: JsonObject = {};
    branches.forEach(({ key }, index) => {
      setOwnProperty(result, key, values[index]);
      if (declared) context.record(key, values[index]);
    });
    if (context.listening) {
      const keys = branches.map(({ key }) => key);
      context.emit({ type: 'branches.joined', keys, ...context.eventFields() });
    }
    return completed(result);
  },
};
