/**
 * What a definition from an untrusted program may be at most. A definition beyond a limit is refused before anything
 * else looks at it; documented in docs/dynamic.md.
 */
export const definitionLimits = {
  /** Levels of objects and arrays. */
  depth: 200,
  /** Objects, arrays and single values in all. */
  values: 1_000_000,
  /** Characters of all texts and keys in all. */
  characters: 32 * 1024 * 1024,
} as const;
