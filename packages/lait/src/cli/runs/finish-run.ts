import type { FailureRecord } from '../../engine/events.js';
import { fromFailureRecord } from '../../engine/failure.js';
import { CancelledError, StepError } from '../../errors/errors.js';
import type { UsageJson } from '../../observe/usage-report.js';
import type { RunRecord } from '../../runs/run-record.js';
import { isTerminal } from '../../runs/run-status.js';
import type { JsonValue } from '../../values/value.js';
import type { CommandContext } from '../command-context.js';
import { type ExitCode, exitCodes } from '../exit-codes.js';
import { handOver, resultText, writesFile } from '../run/write-result.js';
import { type NextSteps, nextSteps, nextStepsText, type Surroundings } from './how-to-go-on.js';

export interface FinishOptions extends Surroundings {
  output?: string;
  json?: true;
}

export interface Finish {
  record: RunRecord;
  /** How the run failed in this process. */
  failure: FailureRecord | undefined;
  usage: UsageJson | null;
  /** What standard output has got of the result while it arrived. */
  shown: string;
  /** What approval is asked for, when it is. */
  consents: readonly string[];
}

/**
 * Hands over what a run has come to, and gives the exit code: the result of one that has ended, or how one that waits
 * goes on (75). Throws what made the run fail, and a `CancelledError` after Ctrl-C.
 */
export async function finishRun(
  { record, failure, usage, shown, consents }: Finish,
  options: FinishOptions,
  context: CommandContext,
): Promise<ExitCode> {
  const { output, signal } = context;
  const { run_id: runId, status, result } = record;
  if (!isTerminal(status)) {
    const next = await nextSteps(record, options, context, consents);
    output.line(nextStepsText(runId, next));
    // A person who interrupted it knows that it has not ended.
    if (signal.aborted) throw new CancelledError();
    if (options.json === true && !writesFile(options)) await output.write(waitingText(record, next, usage));
    return exitCodes.parked;
  }
  if (status === 'cancelled') {
    throw new StepError({ code: 'run_cancelled', message: `run '${runId}' was cancelled` });
  }
  if (status === 'failed' && result === undefined) {
    const [again] = (await nextSteps(record, options, context)).questions;
    output.note(`run recorded as '${runId}'; repeat it with \`${again!.commands[0]}\``);
    throw failure === undefined
      ? new StepError({ code: 'run_failed', message: record.error_summary ?? 'the run failed' })
      : fromFailureRecord(failure);
  }
  await handOver(resultText(result, usage, options.json === true), options, context, shown);
  if (status === 'completed') return exitCodes.ok;
  const outcome = status === 'failed' ? 'failure' : status;
  output.line(`lait: the workflow ended with the outcome '${outcome}'`);
  return exitCodes.failed;
}

/** The document of `--json` for a run that waits. */
function waitingText(record: RunRecord, { questions }: NextSteps, usage: UsageJson | null): string {
  const document = {
    content: null,
    reasoning: null,
    usage,
    run: {
      run_id: record.run_id,
      status: record.status,
      questions: record.questions as unknown as JsonValue,
      commands: questions.flatMap(({ commands }) => commands),
    },
  };
  return `${JSON.stringify(document)}\n`;
}
