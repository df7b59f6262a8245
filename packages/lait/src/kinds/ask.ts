import { StepError } from '../errors/errors.js';
import type { Expression } from '../expressions/expression.js';
import { completed, type Kind } from './kind.js';

interface AskFields {
  ask: Expression<string>;
  choices?: readonly string[];
  default?: string;
  multiline?: boolean;
}

/** `ask`: a person's answer. Source: steps seed, `ask`. */
export const askKind: Kind<AskFields> = {
  name: 'ask',
  shape: 'action',
  description: 'Asks a person at the terminal; the answer is the value.',
  fields: {
    ask: { type: 'template', notBlank: true, required: true, description: 'The question.' },
    choices: {
      type: 'list',
      items: { type: 'text', notBlank: true },
      minItems: 1,
      description: 'The only answers that are accepted, letter for letter.',
    },
    default: {
      type: 'text',
      description: 'The answer when nobody can be asked. One of the choices, if there are any.',
    },
    multiline: { type: 'boolean', description: 'Reads to the end of input instead of one line.' },
  },
  effects: 'none',
  waits: true,
  check({ choices, default: fallback }) {
    if (choices === undefined || fallback === undefined || choices.includes(fallback)) return [];
    const message = `default '${fallback}' is none of the choices: ${choices.join(', ')}`;
    return [{ path: ['default'], message }];
  },
  expressions: ({ ask }) => [{ name: 'ask', expression: ask }],
  async execute({ ask, choices, default: fallback, multiline }, context) {
    const text = context.evaluate(ask);
    const answer = await context.ask({
      type: choices === undefined ? 'text' : 'select',
      text,
      ...(choices === undefined ? {} : { choices }),
      ...(fallback === undefined ? {} : { default: fallback }),
      ...(multiline === undefined ? {} : { multiline }),
    });
    if (choices !== undefined && !choices.includes(String(answer))) {
      const message = `the answer '${String(answer)}' is none of the choices: ${choices.join(', ')}`;
      throw new StepError({ code: 'answer_not_a_choice', message });
    }
    return completed(answer);
  },
};
