import type { Question } from '../engine/question.js';
import { isObject, type JsonValue, ownProperty } from '../values/value.js';

/** Why a run cannot go on until somebody has changed something outside of it. Source: graph facts §6, §12. */
export interface Interruption {
  reason: string;
  /** The activation that goes on afterwards. */
  activation_id: string;
}

/** Parks a run as interrupted; `resume` answers with the activation. */
export function interruptionQuestion({ reason, activation_id }: Interruption): Question {
  return { type: 'resume', text: reason, payload: { interruption: { reason, activation_id } } };
}

/** What interrupted the run, when the question stands for that. */
export function interruptionOf({ payload }: Question): Interruption | undefined {
  const interruption = isObject(payload) ? ownProperty(payload, 'interruption') : undefined;
  return isObject(interruption) ? (interruption as unknown as Interruption) : undefined;
}

/** What resuming an interrupted run answers. */
export function continueAnswer({ activation_id }: Interruption): JsonValue {
  return { continue: activation_id };
}

/** The activation of an answer that continues an interrupted call. */
export function continuedActivation(answer: JsonValue | undefined): string | undefined {
  const id = isObject(answer) ? ownProperty(answer, 'continue') : undefined;
  return typeof id === 'string' ? id : undefined;
}
