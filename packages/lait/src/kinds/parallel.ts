import type { Block } from '../plan/plan.js';
import { type JsonObject, setOwnProperty } from '../values/value.js';
import { completed, type Kind } from './kind.js';

interface ParallelFields {
  parallel: Readonly<Record<string, Block>>;
  /** How the failure to report is chosen. Default `first`. */
  failure?: 'first' | 'declared';
  /** Records each branch's result under the branch's name, as the dynamic form does. */
  records?: boolean;
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
  blocks: ({ parallel }) =>
    Object.entries(parallel).map(([name, block]) => ({
      name: `parallel.${name}`,
      title: name,
      block,
      concurrent: true,
    })),
  async execute({ parallel, failure }, context) {
    const branches = Object.entries(parallel).map(([key, block]) => ({
      key,
      block,
      value: context.input,
      prefix: `[${key}] `,
    }));
    const values = await context.runBranches(branches, {
      maxConcurrency: branches.length,
      failure,
      unit: 'branches',
    });
    const result: JsonObject = {};
    branches.forEach(({ key }, index) => {
      setOwnProperty(result, key, values[index]);
    });
    if (context.listening) {
      const keys = branches.map(({ key }) => key);
      context.emit({ type: 'branches.joined', keys, ...context.eventFields() });
    }
    return completed(result);
  },
};
