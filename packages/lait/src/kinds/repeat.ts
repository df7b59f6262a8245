import type { Expression } from '../expressions/expression.js';
import type { Block } from '../plan/plan.js';
import { completed, type Kind } from './kind.js';

interface RepeatFields {
  body: Block;
  predicate: Expression<boolean>;
  /** What it goes on for, for people. */
  condition: string;
  /** What the predicate must come to for another iteration: true for `dowhile`, false for `dountil`. */
  goesOnWhen: boolean;
}

/**
 * `loop` of the dynamic form: the body at least once, each time on its own last output, judged afterwards. There is no
 * limit but a cancel. Source: dynamic seed, Loop エントリ.
 */
export const repeatKind: Kind<RepeatFields> = {
  name: 'repeat',
  shape: 'control',
  description: 'Repeats a step on its own output, judged after each iteration.',
  effects: 'none',
  loop: true,
  blocks: ({ body, condition }) => [{ name: 'step', title: condition, block: body, repeated: true }],
  expressions: ({ predicate }) => [{ name: 'predicate', expression: predicate, sees: 'result' }],
  async execute({ body, predicate, goesOnWhen }, context) {
    let value = context.input;
    for (let index = 0; ; index += 1) {
      if (context.listening) context.emit({ type: 'iteration.started', index, ...context.eventFields() });
      ({ value } = await context.runBlock(body, value, { key: index, loop: { index } }));
      if (context.evaluate(predicate, value) !== goesOnWhen) return completed(value);
    }
  },
};
