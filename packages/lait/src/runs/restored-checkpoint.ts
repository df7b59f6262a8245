import { isObject, type JsonObject, type JsonValue } from '../values/value.js';
import { type Checkpoint, damagedCheckpoint, type KeptConversation } from './checkpoint.js';
import type { SecretReferences } from './secret-references.js';
import { ValueCodec } from './stores/value-codec.js';

/**
 * The record with the secrets that its references name. `onMasked` is told of texts that cannot be restored. Throws
 * what `SecretReferences.restore` throws, and `checkpoint_damaged` for a conversation that is none.
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
    ...(conversation !== undefined && { conversation: restoredConversation(checkpoint, json) }),
    ...(items !== undefined && {
      items: {
        digest: items.digest,
        results: object(items.results as JsonObject),
        ...(items.steps !== undefined && { steps: object(items.steps) }),
      },
    }),
  };
}

function restoredConversation(
  { run_id, conversation }: Checkpoint,
  json: (stored: JsonValue) => JsonValue,
): KeptConversation {
  const { step, messages, cut_results } = conversation as unknown as JsonObject;
  const said = json(messages!);
  const cut = json(cut_results!);
  if (!(said as JsonValue[]).every(isMessage) || !Object.values(cut as JsonObject).every(isText))
    throw damagedCheckpoint(`the record of run '${run_id}'`, 'its conversation holds something else');
  return { step, messages: said, cut_results: cut } as unknown as KeptConversation;
}

const isText = (value: unknown) => typeof value === 'string';

function isMessage(message: JsonValue): boolean {
  if (!isObject(message)) return false;
  const { role, content, tool_calls: calls, tool_call_id: callId } = message;
  if (role === 'user') return isText(content) || (Array.isArray(content) && content.every(isPart));
  if (role === 'tool') return isText(content) && isText(callId);
  const isSaid = isText(content) || content === null;
  return (
    role === 'assistant' && isSaid && (calls === undefined || (Array.isArray(calls) && calls.every(isCall)))
  );
}

function isPart(part: JsonValue): boolean {
  return isObject(part) && (part.type === 'text' ? isText(part.text) : isObject(part.image_url));
}

function isCall(call: JsonValue): boolean {
  if (!isObject(call) || !isObject(call.function)) return false;
  return isText(call.id) && isText(call.function.name) && isText(call.function.arguments);
}
