import type { AttentionDecision, Question } from '../engine/question.js';
import { isObject, type JsonObject, type JsonValue, ownProperty } from '../values/value.js';

/** Why a person must look at a call. Source: graph facts §1.7, §7.7. */
export type AttentionReason =
  | 'cancel_after_external_completion'
  | 'cancel_with_unknown_external_result'
  | 'reported_by_capability'
  | 'interrupted_call';

/** What is known about a call whose outcome a person must judge. */
export interface AttentionEvidence {
  reason: AttentionReason;
  /** Known to have ended, or unknown. */
  certainty: 'completed' | 'unknown';
  output?: JsonValue;
  effects?: readonly string[];
}

const texts: Readonly<Record<AttentionReason, string>> = {
  cancel_after_external_completion:
    'The run was cancelled, but the call had ended before it could be stopped.',
  cancel_with_unknown_external_result:
    'The run was cancelled while the call was under way; whether it happened is unknown.',
  reported_by_capability: 'The capability asks for a decision about its result.',
  interrupted_call: 'The call was interrupted and may have happened.',
};

/** Parks a run until a person has decided about a call. Source: graph facts §7.8. */
export function attentionQuestion(evidence: AttentionEvidence): Question {
  const text = `${texts[evidence.reason]} Adopt its result, run it again, or fail?`;
  return { type: 'attention', text, payload: { ...evidence } as unknown as JsonObject };
}

/** The evidence of an attention question; a call that broke off without one may have happened. */
export function attentionEvidence({ payload }: Question): AttentionEvidence {
  if (isObject(payload) && typeof ownProperty(payload, 'reason') === 'string')
    return payload as unknown as AttentionEvidence;
  return { reason: 'interrupted_call', certainty: 'unknown' };
}

/** The decision in an answer, when it is one. */
export function attentionDecision(answer: JsonValue | undefined): AttentionDecision | undefined {
  return isObject(answer) && typeof ownProperty(answer, 'decision') === 'string'
    ? (answer as AttentionDecision)
    : undefined;
}
