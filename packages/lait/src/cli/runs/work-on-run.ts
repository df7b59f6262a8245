import { UsageError } from '../../errors/errors.js';
import type { Plan } from '../../plan/plan.js';
import type { RunController } from '../../runs/run-controller.js';
import { purposeOf } from '../../runs/run-questions.js';
import type { RunQuestion, RunRecord } from '../../runs/run-record.js';
import { consentText } from './consent-text.js';
import type { Replies } from './replies.js';

export interface RunWork {
  runs: RunController;
  plan: Plan;
  replies: Replies;
  /** Consents to everything that a run will do. */
  approve?: boolean;
  /** Interrupts the run: it is stored as it stands and can go on later. */
  signal: AbortSignal;
}

/**
 * Works on a run until it has ended, or waits for what nobody can give here. What can be answered here is answered in
 * between. Throws a `UsageError` (code `run_in_use`) when another process works on the run.
 */
export async function workOnRun(runId: string, work: RunWork): Promise<RunRecord> {
  const { runs, signal } = work;
  const interrupt = () => void runs.shutdown();
  signal.addEventListener('abort', interrupt, { once: true });
  try {
    let record = await runs.read(runId);
    for (;;) {
      const next = signal.aborted ? undefined : await nextState(record, work);
      if (next === undefined) return record;
      record = next;
    }
  } finally {
    signal.removeEventListener('abort', interrupt);
  }
}

/** The run after one step forward; undefined when there is none to be made here. */
async function nextState(record: RunRecord, work: RunWork): Promise<RunRecord | undefined> {
  const { runs, replies, signal } = work;
  const { run_id: runId } = record;
  switch (record.status) {
    case 'queued':
    case 'running':
    case 'cancelling': {
      const driven = await runs.drive(runId, { takeOver: true });
      if (['queued', 'running', 'cancelling'].includes(driven.status)) throw inUse(driven);
      return driven;
    }
    case 'waiting_approval': {
      const consents =
        work.approve === true ||
        (await unlessInterrupted(signal, async () =>
          replies.consents(consentText(record, work.plan, await runs.view(runId)), signal),
        ));
      return consents === true ? runs.approve(runId) : undefined;
    }
    case 'waiting_hitl': {
      for (const asked of open(record, 'hitl')) {
        const reply = await unlessInterrupted(signal, () => replies.answer(asked, signal));
        if (reply !== undefined) return runs.answer(runId, reply.answer, asked.address);
      }
      return undefined;
    }
    case 'waiting_attention': {
      for (const asked of open(record, 'attention')) {
        const decision = await unlessInterrupted(signal, () => replies.decision(asked, signal));
        if (decision === undefined) continue;
        const { choice, output } = decision;
        return runs.attention(runId, choice, {
          address: asked.address,
          ...(output !== undefined && { output }),
        });
      }
      return undefined;
    }
    default:
      return undefined;
  }
}

/** A person who interrupts a question leaves it open. */
async function unlessInterrupted<T>(signal: AbortSignal, ask: () => Promise<T>): Promise<T | undefined> {
  try {
    return await ask();
  } catch (error) {
    if (signal.aborted) return undefined;
    throw error;
  }
}

function open(record: RunRecord, purpose: string): readonly RunQuestion[] {
  return record.questions.filter(({ question }) => purposeOf(question) === purpose);
}

function inUse({ run_id, status }: RunRecord): UsageError {
  return new UsageError({
    code: 'run_in_use',
    message: `another process works on run '${run_id}' now (it is ${status}), or was lost a moment ago; nothing was started`,
    details: { run_id, status },
  });
}
