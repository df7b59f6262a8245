import type { Kind } from './kind.js';

/** `stop`: ends the workflow with the value at hand. Source: steps seed, `stop` / `break`. */
export const stopKind: Kind = {
  name: 'stop',
  shape: 'terminal',
  description: 'Ends the workflow with the value at hand as its result.',
  fields: { stop: { type: 'choice', values: [true], required: true, description: 'Always true.' } },
  commonFields: ['id', 'when', 'input', 'output'],
  effects: 'none',
  ends: 'workflow',
  execute: (_fields, context) => ({ value: context.input, control: 'stop' }),
};

/** `break`: ends the innermost loop with the value at hand. */
export const breakKind: Kind = {
  name: 'break',
  shape: 'terminal',
  description: 'Ends the innermost loop with the value at hand.',
  fields: { break: { type: 'choice', values: [true], required: true, description: 'Always true.' } },
  commonFields: ['id', 'when', 'input', 'output'],
  effects: 'none',
  ends: 'loop',
  execute: (_fields, context) => ({ value: context.input, control: 'break' }),
};
