import { types } from 'node:util';
import { DefinitionError } from '../../errors/errors.js';
import { type JsonObject, type JsonValue, setOwnProperty } from '../../values/value.js';
import { definitionLimits } from './limits.js';

/**
 * Copies what a program handed over into plain JSON, so that nothing the program keeps can change it afterwards and
 * no getter, proxy or `toJSON` ever runs. Members without a value are dropped. `name` starts the paths in messages.
 * Throws a `DefinitionError` (code `definition_not_json` or `definition_too_large`). Source: dynamic facts §1.1.
 */
export function copyPlainJson(value: unknown, name: string): JsonValue {
  return new Copier(name).copy(value);
}

class Copier {
  #values = 0;
  #characters = 0;
  /** The objects that are being copied, outermost first, and the keys that lead on from each. */
  readonly #ancestors = new Set<object>();
  readonly #keys: (string | number)[] = [];

  constructor(private readonly name: string) {}

  copy(value: unknown): JsonValue {
    this.#countValues(1);
    if (value === null || typeof value === 'boolean') return value;
    if (typeof value === 'string') {
      this.#countCharacters(value);
      return value;
    }
    if (typeof value === 'number') {
      if (!Number.isFinite(value)) throw this.#notJson('must contain only finite numbers.');
      return value;
    }
    if (typeof value !== 'object') throw this.#notJson(`must be JSON-safe, got ${typeof value}.`);
    if (types.isProxy(value)) throw this.#notJson('must contain only plain objects, got a proxy.');
    if (this.#keys.length >= definitionLimits.depth)
      throw this.#tooLarge(`more than ${definitionLimits.depth} levels deep`);
    if (this.#ancestors.has(value)) throw this.#notJson('must be JSON-safe, it contains itself.');
    this.#ancestors.add(value);
    const copy = Array.isArray(value) ? this.#copyArray(value) : this.#copyObject(value);
    this.#ancestors.delete(value);
    return copy;
  }

  #copyArray(value: readonly unknown[]): JsonValue[] {
    // Judged before the elements: `new Array(1e9)` must not be walked through.
    this.#countValues(value.length);
    this.#values -= value.length;
    const copy: JsonValue[] = [];
    for (let index = 0; index < value.length; index += 1)
      copy.push(this.#member(value, index, String(index))!);
    return copy;
  }

  #copyObject(value: object): JsonObject {
    const prototype: unknown = Object.getPrototypeOf(value);
    // Objects of another realm have another Object.prototype, which has no prototype itself.
    if (prototype !== null && Object.getPrototypeOf(prototype) !== null) {
      throw this.#notJson('must contain only plain objects.');
    }
    const copy: JsonObject = {};
    for (const key of Object.keys(value)) {
      this.#countCharacters(key);
      const member = this.#member(value, key, key);
      if (member !== undefined) setOwnProperty(copy, key, member);
    }
    return copy;
  }

  /** A member without a value is none, but for an element, which is refused. */
  #member(owner: object, place: string | number, key: string): JsonValue | undefined {
    const property = Object.getOwnPropertyDescriptor(owner, key);
    this.#keys.push(place);
    if (property !== undefined && !('value' in property))
      throw this.#notJson('must be JSON-safe, it is a getter.');
    const member: unknown = property?.value;
    const copy = member === undefined && typeof place === 'string' ? undefined : this.copy(member);
    this.#keys.pop();
    return copy;
  }

  #countValues(more: number): void {
    this.#values += more;
    if (this.#values > definitionLimits.values)
      throw this.#tooLarge(`more than ${definitionLimits.values} values`);
  }

  #countCharacters(text: string): void {
    this.#characters += text.length;
    if (this.#characters <= definitionLimits.characters) return;
    throw this.#tooLarge(`more than ${definitionLimits.characters} characters`);
  }

  #notJson(what: string): DefinitionError {
    return refusal('definition_not_json', `${this.#path()} ${what}`);
  }

  #tooLarge(what: string): DefinitionError {
    return refusal('definition_too_large', `${this.#path()} is too large: ${what}.`);
  }

  #path(): string {
    const path = [this.name, ...this.#keys].join('.');
    return path.length <= 200 ? path : `${path.slice(0, 199)}…`;
  }
}

function refusal(code: string, message: string): DefinitionError {
  return new DefinitionError({ code, message, diagnostics: [{ code, severity: 'error', message }] });
}
