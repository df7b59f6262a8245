import { explainOverflow } from '../errors/explain-overflow.js';
import { isLaitError, messageChain } from '../errors/lait-error.js';
import { textOf } from '../values/text.js';
import type { Value } from '../values/value.js';
import type { PassResult } from './run-execution.js';
import { purposeOf } from './run-questions.js';
import type { RunQuestion } from './run-record.js';
import type { RunStatus } from './run-status.js';
import type { RunChange } from './run-store.js';

export type RunOutcome = RunChange & { status: RunStatus };

/** What a pass's end means for the run. Source: graph facts §7.5. */
export function outcomeOf(
  result: PassResult,
  questions: readonly RunQuestion[],
  signal: AbortSignal,
): RunOutcome {
  switch (result.status) {
    case 'completed': {
      let result_summary: string;
      try {
        result_summary = summaryOf(result.value);
      } catch (error) {
        // What cannot be written cannot be stored either, however often it is tried.
        return { status: 'failed', error_summary: messageChain(explainOverflow(error)) };
      }
      const summary = { result: result.value ?? null, result_summary };
      if (result.outcome === 'failure')
        return { status: 'failed', ...summary, error_summary: 'the run ended at a failure terminal' };
      return { status: result.outcome === 'incomplete' ? 'incomplete' : 'completed', ...summary };
    }
    case 'failed':
      return { status: 'failed', error_summary: messageChain(result.error) };
    case 'parked':
      return parkedAs(questions);
    default: {
      if (isInterruption(signal))
        return { status: 'interrupted', error_summary: messageChain(signal.reason) };
      return { status: 'cancelled' };
    }
  }
}

/** True when a pass was stopped to go on later, not because somebody wants no more of the run. */
export function isInterruption({ reason }: AbortSignal): boolean {
  return isLaitError(reason) && reason.code === 'interrupted';
}

function parkedAs(questions: readonly RunQuestion[]): RunOutcome {
  const purposes = questions.map(({ question }) => purposeOf(question));
  if (purposes.includes('cancellation')) return { status: 'cancelled' };
  if (purposes.includes('attention')) return { status: 'waiting_attention' };
  const interruption = questions.find(({ question }) => purposeOf(question) === 'interruption');
  return interruption === undefined
    ? { status: 'waiting_hitl' }
    : { status: 'interrupted', error_summary: interruption.question.text };
}

function summaryOf(value: Value): string {
  const characters = [...textOf(value).slice(0, 1000)];
  return characters.length > 200 ? `${characters.slice(0, 199).join('')}…` : characters.join('');
}
