import type { JsonValue } from '../values/value.js';

/** Something a person (or another program) must answer before a branch can go on. */
export interface Question {
  /** What is asked: free text, one of `choices`, yes or no, or whatever a suspended tool expects. */
  type: 'text' | 'select' | 'boolean' | 'resume';
  /** The question as shown. */
  text: string;
  choices?: readonly string[];
  multiline?: boolean;
  /** The answer taken when nobody can be asked. */
  default?: string;
  /** What a suspended tool handed along. */
  payload?: JsonValue;
}
