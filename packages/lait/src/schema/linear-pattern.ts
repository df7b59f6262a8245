import { createRequire } from 'node:module';
import type { RE2JS } from 're2js';

/** A pattern that runs in linear time on any text, or the reason why it cannot be one. */
export interface LinearPattern {
  problem?: string;
  /** True when the pattern is found anywhere in the text. */
  found(text: string): boolean;
}

const compiled = new Map<string, LinearPattern>();
const cacheSize = 500;

/**
 * Compiles a `pattern` of a schema. Patterns come from definitions that nobody has checked, so they run on an engine
 * without backtracking: look-around and back-references are refused instead of hanging on hostile text.
 */
export function linearPattern(source: string): LinearPattern {
  let pattern = compiled.get(source);
  if (pattern === undefined) {
    pattern = compile(source);
    if (compiled.size >= cacheSize) compiled.clear();
    compiled.set(source, pattern);
  }
  return pattern;
}

function compile(source: string): LinearPattern {
  // The engine is loaded with the first pattern: most definitions have none.
  const require = createRequire(import.meta.url);
  const engine = require('re2js') as { RE2JS: typeof RE2JS };
  try {
    const matcher = engine.RE2JS.compile(source);
    return { found: (text) => matcher.matcher(text).find() };
  } catch (error) {
    return {
      problem: `is no supported regular expression (${(error as Error).message}); look-around and back-references are left out`,
      found: () => false,
    };
  }
}
