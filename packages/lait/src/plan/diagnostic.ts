import type { SourcePosition } from './source.js';

export type Severity = 'error' | 'warning';

/** One problem of a definition. Collected, never thrown one by one. The same shape for all three forms. */
export interface Diagnostic {
  /** One of the closed set in `diagnostic-codes.ts` (steps), or the code set of the dynamic and graph forms. */
  code: string;
  severity: Severity;
  /** What is wrong and what to do, in one sentence, without the position. */
  message: string;
  /** Where, when the source has positions. */
  position?: SourcePosition;
  /** The step or entry, e.g. `steps[2].switch[0].steps[1]` or `graph.2.steps.0`. */
  path?: string;
  /** The author's id of that step, node or edge. */
  id?: string;
  /** A concrete repair, e.g. `did you mean 'steps.classify'?`. */
  hint?: string;
}
