import type { Question } from '../engine/question.js';
import { attentionEvidence } from '../kinds/attention.js';
import { interruptionOf } from '../kinds/interruption.js';
import { isObject, type JsonValue, ownProperty } from '../values/value.js';
import { answerInvalid, runConflict } from './run-errors.js';
import type { RunQuestion, RunRecord } from './run-record.js';

/** What a question stands for: a person's answer, a decision about a call, a change outside, or a cancelled call. */
export type QuestionPurpose = 'hitl' | 'attention' | 'interruption' | 'cancellation';

/** What a question is about, and so which status the run has while it is open. */
export function purposeOf(question: Question): QuestionPurpose {
  if (question.type === 'attention') return 'attention';
  if (interruptionOf(question) !== undefined) return 'interruption';
  const cancelled = isObject(question.payload) && ownProperty(question.payload, 'cancelled') === true;
  return cancelled ? 'cancellation' : 'hitl';
}

/**
 * The answer as the run takes it. Throws a `UsageError` (code `answer_invalid`) when it is none of the choices, or no
 * yes or no. Source: graph facts §2.8.
 */
export function checkAnswer({ question }: RunQuestion, answer: JsonValue): JsonValue {
  if (question.type === 'select' && question.choices !== undefined) {
    if (typeof answer === 'string' && question.choices.includes(answer)) return answer;
    throw answerInvalid(
      `the answer must be one of ${question.choices.map((choice) => `'${choice}'`).join(', ')}`,
    );
  }
  if (question.type === 'boolean') {
    if (typeof answer === 'boolean') return answer;
    if (answer === 'true' || answer === 'false') return answer === 'true';
    throw answerInvalid('the answer must be true or false');
  }
  return answer;
}

/** The open question of this purpose: the one at the address, or the only one. Throws `run_conflict`. */
export function openQuestion(
  record: RunRecord,
  purpose: QuestionPurpose,
  address: string | undefined,
): RunQuestion {
  const open = record.questions.filter(({ question }) => purposeOf(question) === purpose);
  const named =
    address === undefined
      ? open
      : open.filter((question) => question.address === address || question.hitl_run_id === address);
  const found = named[0];
  if (found === undefined)
    throw runConflict(
      record,
      address === undefined
        ? 'asks nothing that could be answered'
        : `has no open question '${address}': it was answered, or never asked`,
    );
  if (named.length > 1)
    throw runConflict(
      record,
      `asks ${named.length} questions: name one of ${named.map((one) => one.address).join(', ')}`,
    );
  return found;
}

/** What a person may decide about a call. Source: graph facts §7.8. */
export type AttentionChoice = 'adopt' | 'fail' | 'reexecute' | 'interrupt';

/**
 * The answer that a decision comes to. What a capability reports can be adopted as it is. Of a call that was cancelled
 * an end must be known; for one that broke off, the person states the `output`. Throws `run_conflict`. Source: graph
 * facts §7.8.
 */
export function decisionAnswer(
  record: RunRecord,
  { question }: RunQuestion,
  choice: Exclude<AttentionChoice, 'interrupt'>,
  options: { output?: JsonValue; reason?: string },
): JsonValue {
  if (choice === 'reexecute') return { decision: 'reexecute' };
  if (choice === 'fail')
    return { decision: 'fail', ...(options.reason !== undefined && { reason: options.reason }) };
  const { output, effects, certainty, reason } = attentionEvidence(question);
  const cancelled =
    reason === 'cancel_with_unknown_external_result' || reason === 'cancel_after_external_completion';
  const known = output !== undefined || (effects !== undefined && effects.length > 0);
  if (cancelled && (certainty !== 'completed' || !known))
    throw runConflict(record, 'has no known result that could be adopted');
  if (reason === 'interrupted_call' && !known && options.output === undefined)
    throw runConflict(
      record,
      'has no result that could be adopted: state the output, run the call again, or fail it',
    );
  return { decision: 'adopt', output: output ?? options.output ?? {}, effects: [...(effects ?? [])] };
}
