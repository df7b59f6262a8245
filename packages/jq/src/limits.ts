/** Hard limits of one program and its evaluations. */
export interface Limits {
  /** Longest source in UTF-8 bytes. Default 65,536. */
  readonly sourceBytes: number;
  /** Most nested brackets and other nested constructs in a source. Default 1,024. */
  readonly sourceDepth: number;
  /**
   * Evaluation steps (function calls, iterations, machine operations, copied elements) of one run.
   * Default 10,000,000, which is about a second at worst.
   */
  readonly steps: number;
  /** Values one run may produce. Default 1,000,000. */
  readonly outputs: number;
}

export const defaultLimits: Limits = {
  sourceBytes: 65_536,
  sourceDepth: 1_024,
  steps: 10_000_000,
  outputs: 1_000_000,
};

/** Nesting of values that jq refuses to parse, compare, merge or follow beyond. */
export const maximumValueDepth = 10_000;
