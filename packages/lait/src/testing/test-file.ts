import type { Expression } from '../expressions/expression.js';
import type { ModelSettings } from '../plan/settings.js';
import type { JsonObject, JsonValue } from '../values/value.js';
import type { Assertion } from './assertion.js';

/** One call of a workflow or prompt, and what must hold for it. */
export interface TestCase {
  name?: string;
  input: JsonValue;
  inputs: JsonObject;
  /** Answers to questions, by step id. */
  answers: Readonly<Record<string, string>>;
  assert: readonly Assertion[];
}

/** A test file: a case with recorded replies. Source: facts §19. */
export interface TestFile extends TestCase {
  /** As given on the command line or found below it. */
  file: string;
  /** An absolute path, or a registered name. */
  workflow: string;
  /** Absolute path of the recordings. */
  replay: string;
}

export type EvalTarget =
  | { workflow: string }
  | { prompt: Expression<string>; system?: Expression<string>; settings: ModelSettings };

/** An eval file: cases for a live model. Source: facts §19. */
export interface EvalFile {
  file: string;
  name?: string;
  target: EvalTarget;
  cases: readonly TestCase[];
}
