import type { FailureRecord, RunEvent } from '../../engine/events.js';
import type { Plan } from '../../plan/plan.js';
import type { CommandContext } from '../command-context.js';
import type { ExitCode } from '../exit-codes.js';
import type { ConfiguredLait } from '../run/configured-lait.js';
import type { RunDisplay } from '../run/run-display.js';
import { consentLines } from './consent-text.js';
import { type FinishOptions, finishRun } from './finish-run.js';
import { workOnRun } from './work-on-run.js';

export interface RecordedRunRequest {
  runId: string;
  plan: Plan;
  configured: ConfiguredLait;
  options: FinishOptions & { approve?: true };
  context: CommandContext;
  display: RunDisplay;
  onEvent?: (event: RunEvent) => void;
}

/**
 * Works on a recorded run in the foreground, shows what happens, and hands over what it comes to. Throws what made the
 * run fail, `run_in_use`, and a `CancelledError` after Ctrl-C.
 */
export async function runRecorded(request: RecordedRunRequest): Promise<ExitCode> {
  const { runId, plan, configured, options, context, display, onEvent } = request;
  const { lait, replies, listeners } = configured;
  let failure: FailureRecord | undefined;
  listeners.add((event) => {
    if (event.type === 'run.failed') failure = event.error;
    onEvent?.(event);
    display.handle(event);
  });
  const { signal } = context;
  const runs = await lait.runs();
  const record = await workOnRun(runId, {
    runs,
    plan,
    replies,
    approve: options.approve,
    signal,
  });
  display.stop();
  replies.warnOfUnused();
  const consents =
    record.status === 'waiting_approval' ? consentLines(plan, (await runs.view(runId)).events) : [];
  return finishRun(
    { record, failure, usage: display.usage, shown: display.streamedResult, consents },
    options,
    context,
  );
}
