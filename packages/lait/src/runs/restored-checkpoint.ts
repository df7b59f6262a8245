import type { JsonObject, JsonValue } from '../values/value.js';
import type { Checkpoint, KeptConversation } from './checkpoint.js';
import type { SecretReferences } from './secret-references.js';
import { ValueCodec } from './stores/value-codec.js';

/**
 * The record with the secrets that its references name. `onMasked` is told of texts that cannot be restored. Throws what
 * `SecretReferences.restore` throws.
 */
export function restoredForm(
  checkpoint: Checkpoint,
  references: SecretReferences,
  onMasked: () => void,
): Checkpoint {
  const codec = new ValueCodec(references.tellingOfMasked(onMasked));
  const json = (stored: JsonValue) => codec.unpack(stored) as JsonValue;
  const object = (stored: JsonValue) => codec.unpack(stored) as JsonObject;
  const { current_value, items, conversation } = checkpoint;
  return {
    ...checkpoint,
    initial_input: json(checkpoint.initial_input),
    inputs: json(checkpoint.inputs),
    current_value: current_value === undefined ? undefined : json(current_value),
    steps_outputs: object(checkpoint.steps_outputs),
    state: object(checkpoint.state),
    passed_values: checkpoint.passed_values.map((passed) =>
      'value' in passed ? { value: json(passed.value) } : passed,
    ),
    ...(conversation !== undefined && {
      conversation: json(conversation as unknown as JsonObject) as unknown as KeptConversation,
    }),
    ...(items !== undefined && {
      items: {
        digest: items.digest,
        results: object(items.results as JsonObject),
        ...(items.steps !== undefined && { steps: object(items.steps) }),
      },
    }),
  };
}
