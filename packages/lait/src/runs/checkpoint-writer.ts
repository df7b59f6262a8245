import type { JsonObject, JsonValue, Value } from '../values/value.js';
import {
  type Checkpoint,
  checkpointFormat,
  type KeptConversation,
  type KeptItems,
  type PassedValue,
} from './checkpoint.js';
import { GrowingJson } from './growing-json.js';

export interface CheckpointEncoding {
  /** A value as JSON, as it may be stored. */
  encode(value: Value): string;
  /** A text for people, as it may be stored. */
  mask(text: string): string;
  /** Changes when the same value would be encoded in another way. */
  revision(): number;
}

/** Keys of the marks that stored values are made of; beside other keys they would not be read as marks. */
const isMark = (key: string) => key.startsWith('$lait.');

/**
 * Writes the records of one run. The file is whole each time, but what it holds already is neither encoded nor searched
 * for secrets again: a save costs what is new, and copying bytes. Values must not be changed in place.
 */
export class CheckpointWriter {
  readonly #encoding: CheckpointEncoding;
  readonly #steps = new GrowingJson();
  readonly #passed = new GrowingJson();
  readonly #itemResults = new GrowingJson();
  readonly #encoded = new Map<string, { value: unknown; text: string }>();
  #revision: number;

  constructor(encoding: CheckpointEncoding) {
    this.#encoding = encoding;
    this.#revision = encoding.revision();
  }

  /** The file in pieces, good until the next call. Throws what `encode` throws. */
  write(checkpoint: Checkpoint): Uint8Array[] {
    this.#forgetOldEncoding();
    const {
      top_level_labels,
      initial_input,
      inputs,
      current_value,
      steps_outputs,
      passed_values,
      state,
      failure,
      items,
      conversation,
      ...plain
    } = checkpoint;
    const { encode, mask } = this.#encoding;
    const members = [
      `"format":${checkpointFormat}`,
      JSON.stringify(plain).slice(1, -1),
      this.#member('top_level_labels', top_level_labels, JSON.stringify),
      this.#member('initial_input', initial_input, encode),
      this.#member('inputs', inputs, encode),
      ...(current_value === undefined ? ['"no_value":true'] : []),
      this.#member('current_value', current_value ?? null, encode),
      ...(Object.keys(state).length === 0 ? [] : [this.#member('state', state, encode)]),
      ...(conversation === undefined
        ? []
        : [this.#member('conversation', conversation, (kept) => this.#conversation(kept))]),
      ...(failure === undefined
        ? []
        : [`"failure":${JSON.stringify({ ...failure, message: mask(failure.message) })}`]),
    ];
    return [
      Buffer.from(`{${members.join(',')},"steps_outputs":{`),
      this.#values(this.#steps, steps_outputs),
      Buffer.from('},"passed_values":['),
      this.#passed.bytes(passed_values, (_index, passed) => this.#passedValue(passed)),
      Buffer.from(']'),
      ...(items === undefined ? [] : this.#items(items)),
      Buffer.from('}\n'),
    ];
  }

  #member<T>(name: string, value: T, encode: (value: T) => string): string {
    const known = this.#encoded.get(name);
    if (known !== undefined && Object.is(known.value, value)) return known.text;
    const text = `"${name}":${encode(value)}`;
    this.#encoded.set(name, { value, text });
    return text;
  }

  /** An object of values by names that the workflow gives, without its brackets. */
  #values(written: GrowingJson, values: JsonObject): Uint8Array {
    if (Object.keys(values).some(isMark)) return Buffer.from(this.#encoding.encode(values).slice(1, -1));
    return written.bytes(values, (key, value) => `${JSON.stringify(key)}:${this.#encoding.encode(value)}`);
  }

  #passedValue(passed: PassedValue): string {
    return 'value' in passed ? `{"value":${this.#encoding.encode(passed.value)}}` : JSON.stringify(passed);
  }

  #items({ digest, results, steps }: KeptItems): Uint8Array[] {
    const recorded = steps === undefined ? '' : `,${this.#member('steps', steps, this.#encoding.encode)}`;
    return [
      Buffer.from(`,"items":{"digest":"${digest}","results":{`),
      this.#values(this.#itemResults, results),
      Buffer.from(`}${recorded}}`),
    ];
  }

  /** Its own keys are no values: a secret of the same letters would make them unreadable. */
  #conversation({ step, messages, cut_results }: KeptConversation): string {
    const { encode } = this.#encoding;
    const said = encode(messages as unknown as JsonValue);
    return `{"step":${JSON.stringify(step)},"messages":${said},"cut_results":${encode({ ...cut_results })}}`;
  }

  #forgetOldEncoding(): void {
    const revision = this.#encoding.revision();
    if (revision === this.#revision) return;
    this.#revision = revision;
    this.#encoded.clear();
    for (const written of [this.#steps, this.#passed, this.#itemResults]) written.forget();
  }
}
