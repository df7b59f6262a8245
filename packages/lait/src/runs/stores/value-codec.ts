import { isObject, type JsonObject, type JsonValue, setOwnProperty, type Value } from '../../values/value.js';
import { requireWritable } from '../../values/value-size.js';

/** Keeps secrets out of what is stored; `SecretReferences` is one. */
export interface SecretCodec {
  /** The value as it may be stored. */
  store(value: JsonValue): JsonValue;
  /** The value as it is worked with. */
  restore(stored: JsonValue): JsonValue;
  /** The value as people see it. */
  show(stored: JsonValue): JsonValue;
}

/** Stands for what JSON cannot say; a member of this name in an author's object is escaped. */
const mark = '$lait.value';
const specials: ReadonlyMap<string, Value> = new Map<string, Value>([
  ['undefined', undefined],
  ['NaN', Number.NaN],
  ['Infinity', Number.POSITIVE_INFINITY],
  ['-Infinity', Number.NEGATIVE_INFINITY],
  ['-0', -0],
]);

/**
 * Values as texts: JSON, and what JSON cannot say (`undefined`, numbers that are none, negative zero) as marked
 * objects, so that a recovered run sees exactly what a live one saw. The texts have no zero bytes and no lone
 * surrogates: every database takes them.
 */
export class ValueCodec {
  constructor(private readonly secrets?: SecretCodec) {}

  /** The value as JSON that may be stored. Throws as `requireWritable` does. */
  pack(value: Value): JsonValue {
    requireWritable(value);
    const plain = isPlain(value) ? (value as JsonValue) : escapeValue(value);
    return this.secrets === undefined ? plain : this.secrets.store(plain);
  }

  /** The value as it was; `show`: as people see it, with names instead of secrets. */
  unpack(stored: JsonValue, show = false): Value {
    const { secrets } = this;
    const plain = secrets === undefined ? stored : show ? secrets.show(stored) : secrets.restore(stored);
    return isPlain(plain) ? plain : unescapeValue(plain);
  }

  /** Entries of a log, whose values are for people: with names instead of secrets. */
  logged<T extends { payload: JsonObject }>(events: readonly T[]): readonly T[] {
    const { secrets } = this;
    if (secrets === undefined) return events;
    return events.map((event) => ({
      ...event,
      payload: secrets.show(secrets.store(event.payload)) as JsonObject,
    }));
  }

  encode(value: Value): string {
    return JSON.stringify(this.pack(value));
  }

  decode(text: string): Value {
    return this.unpack(JSON.parse(text) as JsonValue);
  }

  /** The value as it is shown. */
  show(text: string): Value {
    return this.unpack(JSON.parse(text) as JsonValue, true);
  }
}

function isPlain(value: Value): boolean {
  switch (typeof value) {
    case 'number':
      return Number.isFinite(value) && !Object.is(value, -0);
    case 'undefined':
      return false;
    case 'object':
      if (value === null) return true;
      if (Array.isArray(value)) return value.every(isPlain);
      for (const key of Object.keys(value)) if (key === mark || !isPlain(value[key])) return false;
      return true;
    default:
      return true;
  }
}

function escapeValue(value: Value): JsonValue {
  if (Array.isArray(value)) return Array.from(value, escapeValue);
  if (isObject(value)) {
    const escaped = {};
    for (const [key, item] of Object.entries(value)) setOwnProperty(escaped, key, escapeValue(item));
    return Object.hasOwn(value, mark) ? { [mark]: 'object', object: escaped } : escaped;
  }
  if (value === undefined || typeof value === 'number') {
    const name = Object.is(value, -0) ? '-0' : String(value);
    if (specials.has(name)) return { [mark]: name };
  }
  return value as JsonValue;
}

function unescapeValue(value: JsonValue): Value {
  if (Array.isArray(value)) return value.map(unescapeValue) as JsonValue;
  if (!isObject(value)) return value;
  if (Object.hasOwn(value, mark)) {
    const { [mark]: name, object } = value;
    if (typeof name === 'string' && specials.has(name)) return specials.get(name);
    if (name === 'object' && isObject(object)) return unescapeMembers(object);
  }
  return unescapeMembers(value);
}

function unescapeMembers(value: Record<string, JsonValue>): Value {
  const plain = {};
  for (const [key, item] of Object.entries(value)) setOwnProperty(plain, key, unescapeValue(item));
  return plain;
}
