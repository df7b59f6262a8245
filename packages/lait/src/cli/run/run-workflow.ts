import { resolve } from 'node:path';
import { StepError } from '../../errors/errors.js';
import { checkWritable, writeFileAtomically } from '../../files/write-file.js';
import { createLait } from '../../lait.js';
import { printable } from '../../observe/printable.js';
import { pricingOf, UsageReport } from '../../observe/usage-report.js';
import type { Diagnostic } from '../../plan/diagnostic.js';
import { formatDiagnostics } from '../../plan/format-diagnostics.js';
import { parseInputArguments } from '../../plan/inputs.js';
import type { CommandContext } from '../command-context.js';
import type { RunOptions } from '../commands/run.js';
import { type ExitCode, exitCodeOf, exitCodes } from '../exit-codes.js';
import { readPrompt } from '../read-prompt.js';
import { reportFailure } from '../report-failure.js';
import { Terminal } from '../terminal.js';
import { ProgressDisplay } from './progress-display.js';
import { continuesRun, recordsRun } from './record-options.js';
import { resolveRegisteredFile } from './resolve-workflow-file.js';
import type { RunRecord } from './run-record.js';
import { streamedStep } from './streamed-step.js';
import { TokenStream } from './token-stream.js';
import { failureText, resultText } from './write-result.js';

/**
 * `lait run`: reads configuration, workflow and prompt, runs, and hands the result over. Only the result reaches
 * standard output; with `-o` it is written whole or not at all. Source: facts §1.2.
 */
export async function runWorkflow(
  file: string,
  argument: string | undefined,
  options: RunOptions,
  context: CommandContext,
): Promise<ExitCode> {
  const usage = { report: new UsageReport() };
  try {
    return await run(file, argument, options, context, usage);
  } catch (error) {
    await reportFailure(error, { output: context.output, verbosity: context.options.verbosity });
    if (options.json === true && !writesFile(options)) {
      await context.output.write(failureText(error, usage.report.total(), context.secrets));
    }
    return exitCodeOf(error);
  }
}

async function run(
  file: string,
  argument: string | undefined,
  options: RunOptions,
  context: CommandContext,
  usage: { report: UsageReport },
): Promise<ExitCode> {
  const { output, signal, secrets, workingDirectory } = context;
  const configuration = await context.configuration();
  for (const path of configuration.files) context.log(1, `configuration: ${path}`);
  const resolved = await resolveRegisteredFile(file, 'workflows', configuration, workingDirectory);
  if (resolved.note !== undefined && options.quiet !== true) output.note(resolved.note);
  if (writesFile(options)) await checkWritable(resolve(workingDirectory, options.output!));

  const variables = await context.variables();
  const terminal = new Terminal({
    input: process.stdin,
    output,
    pause: () => display?.pause(),
    resume: () => display?.resume(),
  });
  const lait = await createLait({
    config: configuration,
    variables,
    workingDirectory,
    secrets,
    recordDirectory: options.record,
    replayDirectory: options.replay,
    cache: context.options.cache,
    streaming: options.stream === true,
    explaining: context.options.verbosity > 0,
    onServerLog: (server, line) => context.log(1, `${server}: ${line}`),
    answer: (question, { signal: asked }) => terminal.answer(question, asked),
    ...(context.options.approveTools ? { approve: (text, asked) => terminal.approve(text, asked) } : {}),
  });
  let display: ProgressDisplay | undefined;
  let record: RunRecord | undefined;
  try {
    const warnings: Diagnostic[] = [];
    const workflow = await lait.load(resolved.path, {
      name: resolved.name,
      signal,
      onWarning: (diagnostic) => warnings.push(diagnostic),
    });
    if (warnings.length > 0) {
      output.line(formatDiagnostics(warnings, { sources: workflow.plan.sources, color: output.colored }));
    }
    const continues = continuesRun(options);
    if (continues && argument !== undefined)
      output.note('PROMPT is not used: the run goes on with recorded values');
    const input = continues
      ? undefined
      : await readPrompt({
          argument,
          stdin: process.stdin,
          readStdin: options.stdin,
          signal,
          onSilence: () =>
            output.note('waiting for standard input (end it, or use --no-stdin to leave it unread)'),
        });
    const { plan } = workflow;
    const arguments_ = parseInputArguments(plan.inputs ?? {}, options.input ?? []);
    for (const warning of arguments_.warnings) output.warning(warning);
    const report = new UsageReport(pricingOf(configuration.values.models, plan.settings.models));
    usage.report = report;
    display = new ProgressDisplay({
      output,
      stream: process.stderr,
      variables,
      // Text that comes in pieces and a view that is drawn again and again do not fit on one screen.
      mode: options.stream === true ? 'plain' : options.progress,
      quiet: options.quiet === true,
      verbosity: context.options.verbosity,
      usage: report,
    });
    const tokens = new TokenStream({
      ...(writesFile(options) || options.json === true
        ? {}
        : { resultStep: streamedStep(plan, configuration.values.default ?? {}) }),
      result: (text) => void output.write(text),
      aside: (text) => output.message(printable(text)),
    });
    if (options.dryRun === true) {
      const { dryRun } = await import('./dry-run.js');
      const text = await dryRun(plan, { value: input, inputs: arguments_.inputs }, options, context);
      if (writesFile(options)) await writeFileAtomically(resolve(workingDirectory, options.output!), text);
      else await output.write(text);
      return exitCodes.ok;
    }
    if (recordsRun(options)) {
      const { openRunRecord } = await import('./run-record.js');
      const given = (options.input ?? []).length === 0 ? undefined : arguments_.inputs;
      const { path } = resolved;
      record = await openRunRecord({ plan, file, path, input, given, options, configuration, context });
    }
    const shown = display;
    const result = await workflow.run({
      input,
      inputs: arguments_.inputs,
      signal,
      ...record?.runOptions,
      onEvent: (event) => {
        report.add(event);
        if (options.stream === true) tokens.handle(event);
        if (event.type !== 'model.token') tokens.breakLine();
        shown.handle(event);
      },
    });
    display.stop();
    if (result.status === 'parked') {
      await record?.fail(new StepError({ code: 'run_parked', message: 'the run waits for an answer' }));
      return exitCodes.parked;
    }
    const text = resultText(result.value, report.total(), options.json === true);
    if (writesFile(options)) await writeFileAtomically(resolve(workingDirectory, options.output!), text);
    else await output.write(remainder(text, tokens.result));
    // Last: a result that could not be handed over is not lost, a resume hands it over again.
    await record?.complete();
    return exitCodes.ok;
  } catch (error) {
    display?.stop();
    await record?.fail(error);
    throw error;
  } finally {
    display?.stop();
    if (options.showUsage === true) for (const line of usage.report.text()) output.line(line);
    await lait.close();
  }
}

function writesFile({ output }: RunOptions): boolean {
  return output !== undefined && output !== '-';
}

/** What is left to print of a result of which `shown` was printed while it arrived. */
function remainder(text: string, shown: string): string {
  if (text.startsWith(shown)) return text.slice(shown.length);
  return shown.endsWith('\n') ? '' : '\n';
}
