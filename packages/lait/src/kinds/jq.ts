import type { Expression } from '../expressions/expression.js';
import { completed, type Kind } from './kind.js';

interface JqFields {
  jq: Expression;
}

/** `jq`: computes a value. Source: steps seed, `jq`. */
export const jqKind: Kind<JqFields> = {
  name: 'jq',
  shape: 'action',
  description: 'Computes a value with a jq expression.',
  fields: {
    jq: { type: 'jq', required: true, description: 'The jq expression; its one result is the value.' },
  },
  effects: 'none',
  expressions: ({ jq }) => [{ name: 'jq', expression: jq }],
  execute: ({ jq }, context) => completed(context.evaluate(jq)),
};
