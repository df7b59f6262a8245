import type { JsonValue } from '../values/value.js';

/** Something a person (or another program) must answer before a branch can go on. */
export interface Question {
  /**
   * What is asked: free text, one of `choices`, yes or no, whatever a suspended tool expects (`resume`), or what to do
   * about an effect whose outcome is unknown (`attention`, answered with an `AttentionDecision`).
   */
  type: 'text' | 'select' | 'boolean' | 'resume' | 'attention';
  /** The question as shown. */
  text: string;
  choices?: readonly string[];
  multiline?: boolean;
  /** The answer taken when nobody can be asked. */
  default?: string;
  /** What a suspended tool handed along. */
  payload?: JsonValue;
}

/** What a person decides about an effect that may or may not have happened. Source: graph facts §7.8. */
export type AttentionDecision =
  | { decision: 'adopt'; output?: JsonValue; effects?: string[] }
  | { decision: 'reexecute' }
  | { decision: 'fail'; reason?: string };
