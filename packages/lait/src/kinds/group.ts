import type { Block } from '../plan/plan.js';
import type { Kind } from './kind.js';

interface GroupFields {
  group: Block;
}

/** `group`: a list of steps as one step. Source: steps seed, `group`. */
export const groupKind: Kind<GroupFields> = {
  name: 'group',
  shape: 'control',
  description: 'Runs a list of steps as one step.',
  fields: { group: { type: 'block', required: true, description: 'The steps.' } },
  effects: 'none',
  blocks: ({ group }) => [{ name: 'group', title: 'group', block: group }],
  execute: ({ group }, context) => context.runBlock(group, context.input),
};
