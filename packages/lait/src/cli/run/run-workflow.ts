import { dialectOf } from '../../dialects/index.js';
import type { RunEvent } from '../../engine/events.js';
import { StepError, UsageError } from '../../errors/errors.js';
import { otlpEndpoint } from '../../observe/trace/otlp-endpoint.js';
import { pricingOf } from '../../observe/usage-report.js';
import type { Plan } from '../../plan/plan.js';
import { newRunId } from '../../runs/run-id.js';
import type { WorkflowResult } from '../../workflow.js';
import type { CommandContext } from '../command-context.js';
import type { RunOptions } from '../commands/run.js';
import { type ExitCode, exitCodeOf, exitCodes } from '../exit-codes.js';
import { reportFailure } from '../report-failure.js';
import { type OpenedWorkflow, openWorkflow } from './open-workflow.js';
import { type CommandCall, readCall } from './read-call.js';
import { recordsRun } from './record-options.js';
import { RunDisplay } from './run-display.js';
import type { RunRecord } from './run-record.js';
import type { RunTrace } from './run-trace.js';
import { failureText, handOver, resultText, writesFile } from './write-result.js';

/** What was asked for. */
interface Request {
  file: string;
  prompt: string | undefined;
  options: RunOptions;
  context: CommandContext;
}

/**
 * `lait run`: reads configuration, workflow and prompt, runs, and hands the result over. Only the result reaches
 * standard output; with `-o` it is written whole or not at all. Source: facts §1.2.
 */
export async function runWorkflow(
  file: string,
  prompt: string | undefined,
  options: RunOptions,
  context: CommandContext,
): Promise<ExitCode> {
  const display = new RunDisplay(options, context);
  try {
    if (options.watch === true) {
      const { watchWorkflow } = await import('./watch-workflow.js');
      return await watchWorkflow(file, prompt, options, context);
    }
    return await run({ file, prompt, options, context }, display);
  } catch (error) {
    display.stop();
    await reportFailure(error, { output: context.output, verbosity: context.options.verbosity });
    const writable = (error as { code?: string }).code !== 'output_failed';
    if (options.json === true && !writesFile(options) && writable) {
      await context.output.write(failureText(error, display.usage, context.secrets));
    }
    return exitCodeOf(error);
  }
}

async function run(request: Request, display: RunDisplay): Promise<ExitCode> {
  const { file, prompt, options, context } = request;
  // Not only when the spans are sent: by then everything has been done.
  if (options.otlp !== undefined) otlpEndpoint(options.otlp);
  const opened = await openWorkflow(file, options, context, display);
  let trace: RunTrace | undefined;
  try {
    const { plan } = opened.workflow;
    const call = await readCall(plan, prompt, options, context);
    if (options.dryRun === true) {
      const { dryRun } = await import('./dry-run.js');
      const text = await dryRun(plan, { value: call.input, inputs: call.inputs }, options, context);
      await handOver(text, options, context);
      return exitCodes.ok;
    }
    await display.start(opened);
    trace = await openTrace(opened, request);
    if (waits(plan, options)) return await runWaiting(opened, call, trace, request, display);
    if (options.database !== undefined) throw notRecorded();
    const record = recordsRun(options) ? await openRecord(opened, call, request) : undefined;
    return await execute(opened, call, { record, trace }, request, display);
  } finally {
    display.stop();
    await trace?.end();
    display.showUsage();
    await opened.close();
  }
}

/** Whether a run can wait for people: always in a form that is made for it, in others when that is asked for. */
function waits({ form }: Plan, options: RunOptions): boolean {
  return options.park === true || (dialectOf(form).waits === true && !recordsRun(options));
}

function notRecorded(): UsageError {
  return new UsageError({
    code: 'options_exclude',
    message: '--database is for runs that can wait: add --park',
  });
}

/** Records a new run that can wait, and works on it. */
async function runWaiting(
  opened: OpenedWorkflow,
  { input, inputs }: CommandCall,
  trace: RunTrace | undefined,
  { options, context }: Request,
  display: RunDisplay,
): Promise<ExitCode> {
  const { workflow, lait, records } = opened;
  const { plan } = workflow;
  const { runRecorded } = await import('../runs/run-recorded.js');
  records.secrets.protect(plan.sources.map(({ text }) => text));
  const runs = await lait.runs();
  const created = await runs.create(plan, { value: input, inputs, runId: newRunId() });
  const { run_id: runId, definition } = created;
  records.secrets.protect(definition.sources.map(({ text }) => text));
  if (options.quiet !== true) context.output.note(`run recorded as '${runId}'`);
  const onEvent = trace === undefined ? undefined : (event: RunEvent) => trace.handle(event);
  return runRecorded({ runId, plan, configured: opened, options, context, display, onEvent });
}

async function openRecord(
  { workflow: { plan }, path, configuration }: OpenedWorkflow,
  { input, inputs }: CommandCall,
  { file, options, context }: Request,
): Promise<RunRecord> {
  const { openRunRecord } = await import('./run-record.js');
  const given = options.input === undefined ? undefined : inputs;
  return openRunRecord({ plan, file, path, input, given, options, configuration, context });
}

async function openTrace(
  { workflow: { plan }, configuration }: OpenedWorkflow,
  { options, context }: Request,
): Promise<RunTrace | undefined> {
  if (options.traceFile === undefined && options.otlp === undefined) return undefined;
  const { RunTrace } = await import('./run-trace.js');
  return RunTrace.open(options, context, pricingOf(configuration.values.models, plan.settings.models));
}

async function execute(
  { workflow, replies }: OpenedWorkflow,
  call: CommandCall,
  { record, trace }: { record: RunRecord | undefined; trace: RunTrace | undefined },
  { options, context }: Request,
  display: RunDisplay,
): Promise<ExitCode> {
  try {
    const result = await workflow.run({
      ...call,
      signal: context.signal,
      ...record?.runOptions,
      onEvent: (event) => {
        trace?.handle(event);
        display.handle(event);
      },
    });
    display.stop();
    replies.warnOfUnused();
    if (result.status === 'parked') throw parked();
    const text = resultText(result.value, display.usage, options.json === true);
    await handOver(text, options, context, display.streamedResult);
    // Last: a result that could not be handed over is not lost, a resume hands it over again.
    await record?.complete();
    return exitCodeOfOutcome(result, context);
  } catch (error) {
    display.stop();
    await record?.fail(error);
    throw error;
  }
}

/** Nobody could be asked, and this command cannot wait: without a terminal questions need a default. */
function parked(): StepError {
  return new StepError({
    code: 'run_parked',
    message:
      'the run waits for an answer that nobody can give here; with --park it is kept until there is one',
  });
}

/** A workflow that ended by itself may still say that it was no success. */
function exitCodeOfOutcome(
  { outcome }: Extract<WorkflowResult, { status: 'completed' }>,
  { output }: CommandContext,
): ExitCode {
  if (outcome === 'success') return exitCodes.ok;
  output.line(`lait: the workflow ended with the outcome '${outcome}'`);
  return exitCodes.failed;
}
