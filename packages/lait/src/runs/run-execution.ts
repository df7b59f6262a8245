import type { RunEvent } from '../engine/events.js';
import type { Question } from '../engine/question.js';
import type { Snapshot } from '../engine/runtime.js';
import type { OpenQuestion } from '../engine/runtimes/memory.js';
import { RecordedRun, type RecordedRunOptions } from '../engine/runtimes/recorded.js';
import type { RunResult } from '../engine/start-run.js';
import { CancelledError } from '../errors/errors.js';
import { interruptionQuestion } from '../kinds/interruption.js';
import type { Services } from '../kinds/services.js';
import type { Plan } from '../plan/plan.js';
import { startPlan } from '../run-plan.js';
import { EffectWatch } from './effect-watch.js';
import { ReplayFilter } from './replay-filter.js';
import { callOf, courseOf } from './run-call.js';
import type { RunRecord } from './run-record.js';
import type { ReadableJournal } from './run-store.js';

export interface RunExecutionOptions {
  /** What was recorded of the run, and where further outcomes go. */
  journal: ReadableJournal;
  plan: Plan;
  services: Services;
  record: RunRecord;
  signal: AbortSignal;
  /** Stops the pass: what happened cannot be recorded. */
  onRecordingFailure(error: unknown): void;
  /** Told of every event, also of those that only repeat an earlier pass. */
  onEvent(event: RunEvent): void;
  /** Told of what no earlier pass has told. */
  onNews(event: RunEvent): void;
}

/** How one pass of a run came to its end. */
export type PassResult = RunResult | { status: 'uncertain' };

/**
 * One pass of a run from its beginning: what is recorded is taken from the record, answered questions are answered from
 * it, and everything else happens. Ends when the run has ended or waits; `uncertain` when a cancel reached a call
 * whose outcome a person must judge.
 */
export async function executeRun(options: RunExecutionOptions): Promise<PassResult> {
  const { plan, services, record, signal } = options;
  const { run_id: runId, answers } = record;
  const watch = new EffectWatch(options.journal, options.onRecordingFailure);
  const journal = new ReplayFilter(watch, options.onNews);
  let told = true;
  const { from, pauseBehind } = courseOf(record);
  // Few runs pause.
  const stop = pauseBehind === undefined ? undefined : new AbortController();
  let pause: OpenQuestion | undefined;
  const recordedOptions: RecordedRunOptions = {
    runId,
    journal,
    onEvent: (event) => {
      if (!told) return;
      options.onEvent(event);
      journal.event(event);
    },
    answerer: async (_question, { address }) =>
      Object.hasOwn(answers, address) ? answers[address] : undefined,
    // A snapshot is only worth its work when somebody waits for it.
    ...(stop !== undefined && {
      onSnapshot: async ({ completedIndex }: Snapshot) => {
        const address = `pause#${completedIndex}`;
        if (completedIndex !== pauseBehind || completedIndex === plan.body.nodes.length - 1) return;
        if (Object.hasOwn(answers, address)) return;
        pause = { address, question: pauseQuestion(plan, completedIndex, address) };
        told = false;
        stop.abort(new CancelledError());
      },
    }),
  };
  const handle = startPlan(plan, callOf(record), {
    services,
    runId,
    signal: stop === undefined ? signal : AbortSignal.any([signal, stop.signal]),
    run: new RecordedRun(recordedOptions),
    ...(from !== undefined && { from }),
  });
  const result = await handle.settled();
  if (pause !== undefined && result.status === 'cancelled' && !signal.aborted)
    return { status: 'parked', runId, questions: [pause] };
  if (result.status === 'parked') {
    // A parked run goes on in a pass of its own; what waits in this one is let go without a trace.
    told = false;
    handle.cancel(new CancelledError());
  }
  return result.status === 'cancelled' && watch.uncertain ? { status: 'uncertain' } : result;
}

/** A run that pauses is resumed like one that something has interrupted. */
function pauseQuestion({ body }: Plan, index: number, address: string): Question {
  const { label, path } = body.nodes[index]!;
  return interruptionQuestion({ reason: `paused behind '${label ?? path}'`, activation_id: address });
}
