import type { Expression } from '../expressions/expression.js';
import type { JsonObject } from '../values/value.js';
import { completed, type Kind } from './kind.js';

interface MappingFields {
  mapping: Expression<JsonObject>;
}

/** `mapping` of the dynamic form: builds an object from what came before. Source: dynamic seed, Mapping ステップ. */
export const mappingKind: Kind<MappingFields> = {
  name: 'mapping',
  shape: 'action',
  description: 'Builds an object from inputs, results, state and constants.',
  effects: 'none',
  expressions: ({ mapping }) => [{ name: 'mapping', expression: mapping }],
  execute: ({ mapping }, context) => completed(context.evaluate(mapping)),
};
