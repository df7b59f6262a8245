import type { Context } from '../compile/context.js';
import { add } from './arithmetic.js';
import { isObject, type JsonArray, type JsonValue } from './json.js';
import { setKey } from './object.js';
import { deletePaths, getPath, type Owned, setPath } from './path-values.js';

/**
 * The state of an assignment with many paths: the value so far and the containers already copied for it. It travels
 * through the compiled loop in the place of a value, and never leaves it.
 */
export class Updater {
  private readonly owned: Owned = new Set();
  private readonly deleted: JsonArray[] = [];

  constructor(
    private root: JsonValue,
    private readonly context: Context,
  ) {}

  /** The value at a path, for the program to see. Whatever it sees is no longer changed in place. */
  get(path: JsonValue): JsonValue {
    const value = getPath(this.root, path, this.context);
    if (this.owned.has(value)) this.owned.clear();
    return value;
  }

  put(path: JsonValue, value: JsonValue): void {
    this.root = setPath(this.root, path, value, this.context, this.owned);
  }

  /** Adds to the value at a path. Nothing else may have seen that value: an array made here grows in place. */
  addAt(path: JsonValue, value: JsonValue): void {
    const old = getPath(this.root, path, this.context);
    if (Array.isArray(old) && Array.isArray(value) && this.owned.has(old)) {
      this.context.charge(1 + (value.length >>> 2));
      for (const element of value) old.push(element);
      return;
    }
    if (isObject(old) && isObject(value) && this.owned.has(old)) {
      const keys = Object.keys(value);
      this.context.charge(1 + keys.length);
      for (const key of keys) setKey(old, key, value[key]!);
      return;
    }
    const sum = add(old, value, this.context);
    this.put(path, sum);
    if (sum !== old && sum !== value && typeof sum === 'object') this.owned.add(sum);
  }

  /** Deletes a path when all others are done, so that positions stay valid meanwhile. */
  deleteLater(path: JsonValue): void {
    this.deleted.push(path as JsonArray);
  }

  finish(): JsonValue {
    if (this.deleted.length === 0) return this.root;
    return deletePaths(this.root, this.deleted, this.context);
  }
}
