import { LaitError } from '../errors/lait-error.js';
import { variablesIn } from '../values/expand-variables.js';
import { isSecretName } from '../values/secret-name.js';
import type { SecretRegistry } from '../values/secrets.js';
import { urlPasswords } from '../values/url-passwords.js';
import { isObject, type JsonObject, type JsonValue, setOwnProperty } from '../values/value.js';
import type { SecretCodec } from './stores/value-codec.js';

type Variables = Readonly<Record<string, string | undefined>>;

/** Stands where a text held a secret: its parts, in order. */
const secretKey = '$lait.secret';
/** Stands for an object with a secret in one of its keys: pairs of key and value, in order. */
const entriesKey = '$lait.entries';
/** Protects an author's object that looks like one of ours. */
const literalKey = '$lait.literal';
const ownKeys = [secretKey, entriesKey, literalKey];

/** Variables that every process has and that are no secrets. */
const ordinary =
  /^(HOME|PATH|PWD|OLDPWD|USER|LOGNAME|SHELL|LANG|LC_.*|TERM|TMPDIR|TEMP|TMP|HOSTNAME|SHLVL|_)$/;
const shortest = 4;

/**
 * Keeps secrets out of stored values without losing them: the value of an environment variable is stored as a reference
 * to the variable and read again when the value is used. Other known secrets are masked. Source: field report FR-26.
 */
export class SecretReferences implements SecretCodec {
  readonly #variables: Variables;
  readonly #secrets: SecretRegistry;
  readonly #names: readonly string[];

  /**
   * `sources`: texts whose `${NAME}` mark variables as worth protecting: the workflow's files and the configuration.
   */
  constructor(variables: Variables, secrets: SecretRegistry, sources: readonly string[]) {
    this.#variables = variables;
    this.#secrets = secrets;
    const mentioned = new Set(sources.flatMap(variablesIn));
    this.#names = Object.keys(variables)
      .filter((name) => !ordinary.test(name))
      .filter(
        (name) => mentioned.has(name) || isSecretName(name) || urlPasswords(variables[name] ?? '').length > 0,
      )
      .filter((name) => (variables[name]?.trim().length ?? 0) >= shortest)
      .sort((a, b) => variables[b]!.length - variables[a]!.length);
  }

  /** Changes when more secrets have become known, so that values are stored in another way. */
  get revision(): number {
    return this.#secrets.size;
  }

  /** The value as it may be stored. */
  store(value: JsonValue): JsonValue {
    if (typeof value === 'string') return this.#storeText(value);
    if (typeof value === 'number') return this.#storeNumber(value);
    if (Array.isArray(value)) return mapped(value, (item) => this.store(item));
    if (!isObject(value)) return value;
    const keys = Object.keys(value);
    if (keys.some((key) => this.mask(key) !== key)) {
      return { [entriesKey]: keys.map((key) => [this.#storeText(key), this.store(value[key]!)]) };
    }
    const stored = mappedMembers(value, (item) => this.store(item));
    return ownKeys.some((key) => Object.hasOwn(value, key)) ? { [literalKey]: stored } : stored;
  }

  /**
   * The value as it was, with the present values of its variables. Throws a `LaitError` (code `variable_unset`) when
   * one is not set. `onMasked` is told of texts that cannot be restored.
   */
  restore(stored: JsonValue, onMasked: () => void = () => {}): JsonValue {
    return unpacked(stored, {
      variable: (name) => {
        const value = Object.hasOwn(this.#variables, name) ? this.#variables[name] : undefined;
        if (value !== undefined) return value;
        throw new LaitError({
          code: 'variable_unset',
          message: `a recorded value holds the environment variable ${name}, which is not set now: set it and resume again`,
          details: { variable: name },
        });
      },
      masked: (text) => {
        onMasked();
        return text;
      },
    });
  }

  /** The same, with somebody who is told of texts that cannot be restored. */
  tellingOfMasked(onMasked: () => void): SecretCodec {
    return {
      store: (value) => this.store(value),
      restore: (stored) => this.restore(stored, onMasked),
      show: (stored) => this.show(stored),
    };
  }

  /**
   * The value as people see it: references as `${NAME}`. A record may be older than a key, so it is masked once more.
   */
  show(stored: JsonValue): JsonValue {
    return shown(this.store(shown(stored)));
  }

  /** The text with variables' values replaced by `${NAME}` and other secrets masked: for people, not to be restored. */
  mask(text: string): string {
    let masked = text;
    for (const name of this.#names) masked = masked.replaceAll(this.#variables[name]!, () => `\${${name}}`);
    return this.#secrets.mask(masked);
  }

  #storeNumber(value: number): JsonValue {
    const masked = this.#secrets.maskValue<JsonValue>(value);
    return masked === value ? value : { [secretKey]: [{ masked }] };
  }

  #storeText(text: string): JsonValue {
    const parts = this.#split(text, 0);
    return parts.length === 1 && typeof parts[0] === 'string' ? parts[0] : { [secretKey]: parts };
  }

  /** The parts of a text around the values of variables, from the longest value on. */
  #split(text: string, first: number): JsonValue[] {
    for (let index = first; index < this.#names.length; index += 1) {
      const name = this.#names[index]!;
      const value = this.#variables[name]!;
      if (!text.includes(value)) continue;
      return text
        .split(value)
        .flatMap((part, position): JsonValue[] => [
          ...(position === 0 ? [] : [{ variable: name }]),
          ...(part === '' ? [] : this.#split(part, index + 1)),
        ]);
    }
    const masked = this.#secrets.mask(text);
    return [masked === text ? text : { masked }];
  }
}

/** What stands for the parts of a text that held a secret. */
interface SecretParts {
  variable(name: string): string;
  masked(text: string): string;
}

function shown(stored: JsonValue): JsonValue {
  return unpacked(stored, { variable: (name) => `\${${name}}`, masked: (text) => text });
}

function unpacked(stored: JsonValue, parts: SecretParts): JsonValue {
  if (Array.isArray(stored)) return mapped(stored, (item) => unpacked(item, parts));
  if (!isObject(stored)) return stored;
  let members = stored;
  if (Object.keys(stored).length === 1) {
    const { [secretKey]: secret, [entriesKey]: entries, [literalKey]: literal } = stored;
    if (Array.isArray(secret)) return secret.map((part) => partText(part, parts)).join('');
    if (Array.isArray(entries)) return fromEntries(entries, parts);
    if (isObject(literal)) members = literal;
  }
  return mappedMembers(members, (item) => unpacked(item, parts));
}

function fromEntries(entries: readonly JsonValue[], parts: SecretParts): JsonObject {
  const members: JsonObject = {};
  for (const entry of entries) {
    const [key = '', value = null] = Array.isArray(entry) ? entry : [];
    setOwnProperty(members, String(unpacked(key, parts)), unpacked(value, parts));
  }
  return members;
}

/** The same list when no item changes: most values hold no secrets, and are looked at often. */
function mapped(list: readonly JsonValue[], change: (item: JsonValue) => JsonValue): JsonValue {
  for (const [index, item] of list.entries()) {
    const changed = change(item);
    if (changed !== item) return [...list.slice(0, index), changed, ...list.slice(index + 1).map(change)];
  }
  return list as JsonValue;
}

/** The same object when no member changes. */
function mappedMembers(members: JsonObject, change: (item: JsonValue) => JsonValue): JsonObject {
  const keys = Object.keys(members);
  let changed: JsonObject | undefined;
  for (const [index, key] of keys.entries()) {
    const item = members[key]!;
    const value = change(item);
    if (changed === undefined) {
      if (value === item) continue;
      changed = {};
      for (const same of keys.slice(0, index)) setOwnProperty(changed, same, members[same]);
    }
    setOwnProperty(changed, key, value);
  }
  return changed ?? members;
}

function partText(part: JsonValue, parts: SecretParts): string {
  if (typeof part === 'string') return part;
  const { variable, masked } = isObject(part) ? part : {};
  if (typeof variable === 'string') return parts.variable(variable);
  return parts.masked(typeof masked === 'string' ? masked : '');
}
