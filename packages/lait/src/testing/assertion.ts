import type { Expression } from '../expressions/expression.js';
import type { JsonValue } from '../values/value.js';

/** What is asserted about one value: the result of a run, or of one of its steps. */
export type ValueAssertion =
  | { type: 'equals'; value: JsonValue }
  | { type: 'contains'; value: JsonValue }
  | { type: 'jq'; expr: Expression<JsonValue> }
  | { type: 'llm_judge'; criteria: string; model?: string };

/** What is asserted about a run. Source: facts §19. */
export type Assertion =
  | ValueAssertion
  | { type: 'tool_called'; name: string; min?: number; max?: number; args_jq?: Expression<JsonValue> }
  | ({ type: 'usage' } & UsageLimits)
  | { type: 'step_output'; id: string; assert: readonly ValueAssertion[] };

export interface UsageLimits {
  max_input_tokens?: number;
  max_output_tokens?: number;
  max_total_tokens?: number;
  max_requests?: number;
  max_cost?: number;
}

/** How one assertion came out. */
export interface AssertionResult {
  /** Where it stands in its file: `assert[0]`, `assert[2].assert[0]`. */
  path: string;
  type: Assertion['type'];
  pass: boolean;
  /** What was expected and what came, when it failed; may have several lines. */
  message?: string;
}
