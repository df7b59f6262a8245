import type { JsonObject, JsonValue } from '../values/json.js';

/** Marks a variable whose properties are computed when asked for. */
export const lazy: unique symbol = Symbol.for('@lait/jq.lazy');

/**
 * A variable that need not exist as a whole: `$name.key` calls `get(key)` only (`undefined` means null), and just
 * a bare `$name` calls `all()`, once a run.
 */
export interface LazyObject {
  readonly [lazy]: true;
  get(key: string): JsonValue | undefined;
  all(): JsonObject;
}

/** Makes a {@link LazyObject} of its two functions. */
export function lazyObject(source: Pick<LazyObject, 'get' | 'all'>): LazyObject {
  return new LazyView(source);
}

class LazyView implements LazyObject {
  readonly [lazy] = true;

  constructor(private readonly source: Pick<LazyObject, 'get' | 'all'>) {}

  get(key: string): JsonValue | undefined {
    return this.source.get(key);
  }

  all(): JsonObject {
    return this.source.all();
  }
}

export type VariableValue = JsonValue | LazyObject;

function isLazy(value: VariableValue): value is LazyObject {
  return typeof value === 'object' && value !== null && lazy in value;
}

/** The variables given to one run, by position in the program's list of names. */
export class Globals {
  constructor(private readonly values: (VariableValue | undefined)[]) {}

  /** The whole value of a variable; one that was not given is null. */
  get(position: number): JsonValue {
    const value = this.values[position];
    if (value === undefined) return null;
    if (!isLazy(value)) return value;
    const all = value.all();
    this.values[position] = all;
    return all;
  }

  /** The lazy source of a variable, or null when it is plain JSON by now. */
  lazySource(position: number): LazyObject | null {
    const value = this.values[position];
    return value !== undefined && isLazy(value) ? value : null;
  }
}
