import type { JsonValue } from '../values/json.js';
import { type Code, computed, type Direct, linkWithPaths } from './code.js';
import type { Env } from './env.js';

/** A bare `$name` of a variable given from outside. */
export function globalVariableCode(position: number): Code {
  return computed((_value, env) => env.context.globals.get(position));
}

/**
 * `$name.key` of a variable given from outside: asks a lazy variable for that key alone. `code` is the ordinary
 * access, used for path tracking, keys that are not strings, and variables that are plain JSON.
 */
export function globalIndexCode(position: number, key: Code, code: Code): Code {
  const keyDirect = key.direct;
  const plain = code.direct;
  if (keyDirect === null || plain === null) return code;
  const direct: Direct = (value, env: Env): JsonValue | undefined => {
    const source = env.context.globals.lazySource(position);
    if (source === null) return plain(value, env);
    const name = keyDirect(value, env);
    if (typeof name !== 'string') return plain(value, env);
    return source.get(name) ?? null;
  };
  return {
    ...code,
    direct,
    push: (value, path, env, emit) => {
      if (path !== null) return code.push(value, path, env, emit);
      const result = direct(value, env);
      return result === undefined ? false : emit(result, null);
    },
    link: code.bounded ? linkWithPaths(direct, code.link) : code.link,
  };
}
