import type { Context } from './context.js';

/**
 * One cell of the lexical environment: a variable's value, a closure or a label. Cells form a linked list, so
 * extending an environment never disturbs those who still hold the shorter one (backtracking, closures).
 * The compiler knows how many cells up each name lives; nothing is looked up by name at run time.
 */
export class Env {
  constructor(
    readonly up: Env | null,
    readonly value: unknown,
    readonly context: Context,
  ) {}
}

/** `env` with one more cell. */
export function extend(env: Env, value: unknown): Env {
  return new Env(env, value, env.context);
}

/** The environment `levels` cells up. */
export function ancestor(env: Env, levels: number): Env {
  let cell = env;
  for (let level = levels; level > 0; level--) cell = cell.up!;
  return cell;
}
