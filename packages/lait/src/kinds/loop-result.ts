import type { Expression } from '../expressions/expression.js';
import { isObject } from '../values/value.js';
import { completed, type Kind } from './kind.js';

/**
 * The end of an iteration; its input, the resolved mapping, is the next state. Source: graph seed, loop_result Node.
 */
export const loopResultKind: Kind = {
  name: 'loop_result',
  shape: 'action',
  description: 'Ends an iteration and gives the next state.',
  effects: 'none',
  tellsInput: true,
  execute: (_, { input }) => completed(input),
};

interface LoopContinuationFields {
  continuation: Expression<boolean>;
}

/** Behind the loop_result: whether the loop goes on with the new state. Source: graph facts §4, §7.4. */
export const loopContinuationKind: Kind<LoopContinuationFields> = {
  name: 'loop_continuation',
  shape: 'control',
  description: 'Says whether a loop goes on.',
  inner: true,
  effects: 'none',
  ends: 'block',
  expressions: ({ continuation }) => [{ name: 'continuation', expression: continuation }],
  execute({ continuation }, context) {
    const state = context.input;
    // The loop says what is wrong with it.
    if (!isObject(state)) return completed({ state: state ?? null, again: false });
    const again = context.evaluate(continuation, state, { ...context.scope.loop!, state });
    return completed({ state, again });
  },
};
