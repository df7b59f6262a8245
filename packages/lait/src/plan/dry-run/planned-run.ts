import type { JsonValue } from '../../values/value.js';
import type { SpendingLimits } from '../spending-limits.js';

/** What a run would do, as far as it is known before it runs. The names are those of `lait run --dry-run --json`. */
export interface PlannedRun {
  /** The file as given. */
  workflow: string;
  name: string | null;
  description: string | null;
  input: JsonValue;
  inputs: JsonValue;
  steps: readonly PlannedStep[];
  /** The expression that makes the result. */
  output: string | null;
  /** Seconds. */
  timeout: number | null;
  /** What the run may spend. */
  limits: SpendingLimits;
}

export interface PlannedStep {
  /** Counts from 1 in its list. */
  position: number;
  path: string;
  id: string | null;
  label: string;
  kind: string;
  /** In the order of the step: its condition, its own fields, what is made of its result. */
  fields: readonly PlannedField[];
  model: PlannedModel | null;
  /** Names of the tools that the model may call, by where they come from; empty kinds of tools are left out. */
  tools: Readonly<Record<string, JsonValue>>;
  retry: { max_attempts: number; delay_seconds: number; backoff: number } | null;
  /** Seconds of one attempt. */
  timeout: number | null;
  blocks: readonly { title: string; steps: readonly PlannedStep[] }[];
  /** The ways that lead on, in the order of judgement; absent where the next step of the list always follows. */
  edges?: readonly PlannedEdge[];
}

/** A way to another step of the same list. */
export interface PlannedEdge {
  kind: 'normal' | 'error';
  /** Position and path of the step that it leads to. */
  position: number;
  path: string;
  label: string;
  /** Null: always. */
  condition: string | null;
}

export interface PlannedField {
  name: string;
  /** The rendered text, or the source when it cannot be rendered yet. */
  text: string;
  /** Why the text is the source of a template. */
  unrendered?: string;
}

export interface PlannedModel {
  id: string;
  base_url: string;
  /** Models that are asked when the first does not answer. */
  fallbacks: readonly string[];
  settings: Readonly<Record<string, JsonValue>>;
}
