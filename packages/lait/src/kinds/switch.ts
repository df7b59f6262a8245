import { StepError } from '../errors/errors.js';
import type { Expression } from '../expressions/expression.js';
import { holds } from '../expressions/truth.js';
import type { Block } from '../plan/plan.js';
import type { Completion, Kind, StepContext } from './kind.js';

interface SwitchFields {
  switch: readonly { when: Expression; steps: Block }[];
  else?: Block;
}

/** `switch`: the first case whose condition holds. Source: steps seed, `switch`. */
export const switchKind: Kind<SwitchFields> = {
  name: 'switch',
  shape: 'control',
  description: 'Runs the first case whose condition holds, else `else`.',
  fields: {
    switch: {
      type: 'list',
      minItems: 1,
      items: {
        type: 'object',
        fields: {
          when: {
            type: 'jq',
            required: true,
            description: 'The condition; only false and null do not hold.',
          },
          steps: { type: 'block', required: true, description: 'The steps of this case.' },
        },
      },
      required: true,
      description: 'The cases, judged from top to bottom.',
    },
    else: { type: 'block', description: 'Runs when no case fits; without it that is an error.' },
  },
  effects: 'none',
  blocks: (fields) => [
    ...fields.switch.map(({ when, steps }, index) => ({
      name: `switch[${index}]`,
      title: `case ${index + 1}: ${when.source}`,
      block: steps,
      optional: true,
    })),
    ...(fields.else === undefined
      ? []
      : [{ name: 'else', title: 'else', block: fields.else, optional: true }]),
  ],
  expressions: (fields) =>
    fields.switch.map(({ when }, index) => ({
      name: `switch[${index}].when`,
      expression: when,
      condition: true,
    })),
  execute(fields, context) {
    const index = fields.switch.findIndex(({ when }) => holds(context.evaluate(when)));
    if (index >= 0) return enter(fields.switch[index]!.steps, `case ${index + 1}`, context);
    if (fields.else !== undefined) return enter(fields.else, 'else', context);
    throw new StepError({ code: 'no_matching_case', message: 'no case matches and there is no else' });
  },
};

function enter(block: Block, title: string, context: StepContext): Promise<Completion> {
  if (context.listening) context.emit({ type: 'case.matched', title, ...context.eventFields() });
  return context.runBlock(block, context.input);
}
