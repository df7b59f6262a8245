import { planOfPinned } from '../../config/load-plan.js';
import type { RunController } from '../../runs/run-controller.js';
import type { RunRecord } from '../../runs/run-record.js';
import type { CommandContext } from '../command-context.js';
import { type ExitCode, exitCodeOf, exitCodes } from '../exit-codes.js';
import { reportFailure } from '../report-failure.js';
import { type ConfiguredLait, configuredLait, type LaitFlags } from '../run/configured-lait.js';
import { RunDisplay } from '../run/run-display.js';
import { failureText, writesFile } from '../run/write-result.js';
import { nextSteps, nextStepsText } from './how-to-go-on.js';
import { runRecorded } from './run-recorded.js';

/** Flags of the commands that let a run go on. */
export interface ContinueOptions extends LaitFlags {
  output?: string;
  json?: true;
  quiet?: true;
  progress: 'auto' | 'live' | 'plain';
  showUsage?: true;
  approve?: true;
  /** False for `--no-continue`: what was decided is stored and nothing is run. */
  continue: boolean;
}

/** Changes a run; the one that goes on then is given back. */
export type Change = (
  runs: RunController,
  record: RunRecord,
  configured: ConfiguredLait,
) => Promise<RunRecord>;

/**
 * Changes a recorded run, e.g. by an answer, and works on it in the foreground until it has ended or waits again. A run
 * that needs what is not registered here is changed and left to those who have it.
 */
export async function continueRun(
  name: string,
  change: Change,
  options: ContinueOptions,
  context: CommandContext,
): Promise<ExitCode> {
  const display = new RunDisplay(options, context);
  let configured: ConfiguredLait | undefined;
  try {
    configured = await configuredLait(await context.trustedConfiguration(), options, context, display);
    return await go(name, change, { configured, options, context, display });
  } catch (error) {
    display.stop();
    await reportFailure(error, { output: context.output, verbosity: context.options.verbosity });
    if (options.json === true && !writesFile(options))
      await context.output.write(failureText(error, display.usage, context.secrets));
    return exitCodeOf(error);
  } finally {
    display.stop();
    display.showUsage();
    await configured?.close();
  }
}

async function go(
  name: string,
  change: Change,
  parts: {
    configured: ConfiguredLait;
    options: ContinueOptions;
    context: CommandContext;
    display: RunDisplay;
  },
): Promise<ExitCode> {
  const { configured, options, context, display } = parts;
  const { lait, records, replies } = configured;
  const { output } = context;
  const found = await records.find(name);
  const problems = await lait.checkRun(found);
  const changed = await change(await lait.runs(), found, configured);
  const { run_id: runId, status, definition } = changed;
  if (!options.continue) {
    output.note(`run '${runId}' is ${status}`);
    if (status !== 'queued') output.line(nextStepsText(runId, await nextSteps(changed, options, context)));
    return exitCodes.ok;
  }
  if (problems.length > 0) {
    const missing = problems.map(({ message }) => message).join('; ');
    output.line(
      `lait: run '${runId}' is ${status} and cannot go on here: ${missing}; let it go on in the program that has what is missing`,
    );
    return exitCodes.parked;
  }
  const plan = await planOfPinned(definition);
  replies.scripted?.knowSteps(plan);
  await display.start({ workflow: { plan }, configuration: lait.configuration });
  return runRecorded({ runId, plan, configured, options, context, display });
}
