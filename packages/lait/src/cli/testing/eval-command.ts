import { findTestFiles } from '../../testing/find-test-files.js';
import { evalReports } from '../../testing/report-evals.js';
import { runEvals } from '../../testing/run-evals.js';
import type { CommandContext } from '../command-context.js';
import type { EvalCommandOptions } from '../commands/eval.js';
import { type ExitCode, exitCodeOf, exitCodes } from '../exit-codes.js';
import { testSurroundings } from './test-surroundings.js';
import { writeReport } from './write-report.js';

/** `lait eval`: runs cases against the live model and says how often each came out right. Source: facts §19. */
export async function evalCommand(
  paths: readonly string[],
  options: EvalCommandOptions,
  context: CommandContext,
): Promise<ExitCode> {
  const { output, signal } = context;
  const { repeat, filter, jobs } = options;
  const files = await findTestFiles(paths, 'eval');
  const results = await runEvals(files, { ...(await testSurroundings(context)), repeat, filter, jobs });
  signal.throwIfAborted();
  await writeReport(evalReports[options.format](results), options.output, context);
  const { cases, broken } = results;
  if (cases.length + broken.length === 0) {
    const hint = filter === undefined ? 'no eval file was found' : `no case matches --filter '${filter}'`;
    output.line(`lait: ${hint}`);
    return exitCodes.failed;
  }
  const failed = cases.filter(({ passed, total }) => passed < total).length + broken.length;
  if (failed === 0) return exitCodes.ok;
  output.line(`lait: ${failed} of ${cases.length + broken.length} case(s) failed`);
  const invalid = broken.some(({ error }) => exitCodeOf(error) === exitCodes.definition);
  return invalid ? exitCodes.definition : exitCodes.failed;
}
