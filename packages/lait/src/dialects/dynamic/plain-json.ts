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
  return new Copier().copy(value, name, 0);
}

class Copier {
  #values = 0;
  #characters = 0;
  readonly #ancestors = new Set<object>();

  copy(value: unknown, path: string, depth: number): JsonValue {
    this.#values += 1;
    if (this.#values > definitionLimits.values)
      throw tooLarge(path, `more than ${definitionLimits.values} values`);
    if (value === null || typeof value === 'boolean') return value;
    if (typeof value === 'string') {
      this.#count(value, path);
      return value;
    }
    if (typeof value === 'number') {
      if (!Number.isFinite(value)) throw notJson(`${path} must contain only finite numbers.`);
      return value;
    }
    if (typeof value !== 'object') throw notJson(`${path} must be JSON-safe, got ${typeof value}.`);
    if (types.isProxy(value)) throw notJson(`${path} must contain only plain objects, got a proxy.`);
    if (depth >= definitionLimits.depth)
      throw tooLarge(path, `more than ${definitionLimits.depth} levels deep`);
    if (this.#ancestors.has(value)) throw notJson(`${path} must be JSON-safe, it contains itself.`);
    this.#ancestors.add(value);
    const copy = Array.isArray(value)
      ? this.#copyArray(value, path, depth)
      : this.#copyObject(value, path, depth);
    this.#ancestors.delete(value);
    return copy;
  }

  #copyArray(value: readonly unknown[], path: string, depth: number): JsonValue[] {
    const copy: JsonValue[] = [];
    // Judged before the elements: `new Array(1e9)` must not be walked through.
    if (this.#values + value.length > definitionLimits.values) {
      throw tooLarge(path, `more than ${definitionLimits.values} values`);
    }
    for (let index = 0; index < value.length; index += 1) {
      copy.push(this.copy(dataProperty(value, String(index), path), `${path}.${index}`, depth + 1));
    }
    return copy;
  }

  #copyObject(value: object, path: string, depth: number): JsonObject {
    const prototype: unknown = Object.getPrototypeOf(value);
    // Objects of another realm have another Object.prototype, which has no prototype itself.
    if (prototype !== null && Object.getPrototypeOf(prototype) !== null) {
      throw notJson(`${path} must contain only plain objects.`);
    }
    const copy: JsonObject = {};
    for (const key of Object.keys(value)) {
      this.#count(key, path);
      const member = dataProperty(value, key, path);
      if (member !== undefined) setOwnProperty(copy, key, this.copy(member, `${path}.${key}`, depth + 1));
    }
    return copy;
  }

  #count(text: string, path: string): void {
    this.#characters += text.length;
    if (this.#characters > definitionLimits.characters) {
      throw tooLarge(path, `more than ${definitionLimits.characters} characters`);
    }
  }
}

function dataProperty(value: object, key: string, path: string): unknown {
  const property = Object.getOwnPropertyDescriptor(value, key);
  if (property !== undefined && !('value' in property)) {
    throw notJson(`${path}.${key} must be JSON-safe, it is a getter.`);
  }
  return property?.value;
}

function notJson(message: string): DefinitionError {
  return refusal('definition_not_json', message);
}

function tooLarge(path: string, what: string): DefinitionError {
  return refusal('definition_too_large', `${shorten(path)} is too large: ${what}.`);
}

function refusal(code: string, message: string): DefinitionError {
  return new DefinitionError({ code, message, diagnostics: [{ code, severity: 'error', message }] });
}

function shorten(path: string): string {
  return path.length <= 200 ? path : `${path.slice(0, 199)}…`;
}
