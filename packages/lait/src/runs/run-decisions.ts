import { continueAnswer, interruptionOf } from '../kinds/interruption.js';
import type { JsonValue } from '../values/value.js';
import type { GraphRunLog } from './graph-run-log.js';
import { withPause } from './run-call.js';
import type { Decision } from './run-changes.js';
import { runConflict } from './run-errors.js';
import { type AttentionChoice, checkAnswer, decisionAnswer, openQuestion } from './run-questions.js';
import type { RunQuestion, RunRecord } from './run-record.js';
import { isTerminal, isWorkedOn, type RunStatus } from './run-status.js';

/** What becomes of a run that a worker takes; nothing when it is not to be worked on. */
export function taken(
  record: RunRecord,
  worker: string,
  lost: 'continue' | 'interrupt',
): Decision | undefined {
  const { status, worker_instance_id: before, started_at = new Date().toISOString() } = record;
  if (status === 'queued') return { change: { status: 'running', worker_instance_id: worker, started_at } };
  if (status === 'running' && lost === 'interrupt')
    return {
      change: { status: 'interrupted', error_summary: 'the process that worked on the run was lost' },
    };
  if (!isWorkedOn(status)) return undefined;
  const payload = { from_worker: before ?? null, to_worker: worker };
  return { change: { worker_instance_id: worker }, events: [{ event_type: 'run_taken_over', payload }] };
}

/** Consent lets a run begin. Throws `run_conflict`. */
export function approved(record: RunRecord): Decision {
  if (record.status !== 'waiting_approval') throw runConflict(record, 'does not wait for approval');
  return { change: { status: 'queued' } };
}

/**
 * An answer to the question at the address, or to the only one, lets a run go on; with `pauseBehind` up to that node of
 * the top level. Throws `answer_invalid`, or `run_conflict`.
 */
export function answered(
  record: RunRecord,
  log: GraphRunLog,
  answer: JsonValue,
  { address, pauseBehind }: { address?: string | undefined; pauseBehind?: number | undefined },
): Decision {
  if (record.status !== 'waiting_hitl') throw runConflict(record, 'asks nothing');
  const asked = openQuestion(record, 'hitl', address);
  const checked = checkAnswer(asked, answer);
  return {
    change: {
      status: 'queued',
      ...withAnswer(record, asked, checked),
      ...(pauseBehind !== undefined && { context: withPause(record.context, pauseBehind) }),
    },
    events: log.answered(asked.address, asked.question, checked),
  };
}

/** A person's decision about a call whose outcome needs one. Throws `run_conflict`. Source: graph facts §7.8. */
export function attended(
  record: RunRecord,
  log: GraphRunLog,
  choice: AttentionChoice,
  options: { address?: string; output?: JsonValue; reason?: string },
): Decision {
  if (record.status !== 'waiting_attention') throw runConflict(record, 'needs no decision');
  const asked = openQuestion(record, 'attention', options.address);
  if (choice === 'interrupt') {
    const payload = {
      node_id: asked.node_id ?? null,
      activation_id: asked.activation_id ?? null,
      decision: 'interrupt',
      output: null,
    };
    return {
      change: { status: 'interrupted' },
      events: [{ event_type: 'attention_interrupted', payload }],
    };
  }
  const answer = decisionAnswer(record, asked, choice, options);
  return {
    change: { status: 'queued', ...withAnswer(record, asked, answer) },
    events: log.answered(asked.address, asked.question, answer),
  };
}

/** A run that waits ends at once; one under way is to stop. Throws `run_conflict` when it has ended. */
export function cancelRequested(record: RunRecord): Decision {
  const { status: from } = record;
  if (isTerminal(from)) throw runConflict(record, 'has ended already');
  const to: RunStatus = isWorkedOn(from) ? 'cancelling' : 'cancelled';
  const requested = { event_type: 'run_cancel_requested', payload: { from, to } };
  return { change: { status: to, ...(to === 'cancelled' && { questions: [] }) }, events: [requested] };
}

/**
 * An interrupted run goes on: what stopped it by itself is answered, open decisions are asked again. Throws
 * `run_conflict` for every other run.
 */
export function resumed(record: RunRecord): Decision {
  if (record.status !== 'interrupted') throw runConflict(record, 'is not interrupted');
  let change: Decision['change'] = { status: 'queued', error_summary: undefined };
  for (const asked of record.questions) {
    const interruption = interruptionOf(asked.question);
    if (interruption !== undefined)
      change = { ...change, ...withAnswer({ ...record, ...change }, asked, continueAnswer(interruption)) };
  }
  return { change };
}

function withAnswer(
  { questions, answers }: Pick<RunRecord, 'questions' | 'answers'>,
  asked: RunQuestion,
  answer: JsonValue,
): Pick<RunRecord, 'questions' | 'answers'> {
  return {
    questions: questions.filter(({ address }) => address !== asked.address),
    answers: { ...answers, [asked.address]: answer },
  };
}
