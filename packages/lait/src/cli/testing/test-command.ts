import { isLaitError } from '../../errors/lait-error.js';
import { causes } from '../../errors/problems-behind.js';
import { findTestFiles } from '../../testing/find-test-files.js';
import { testReports } from '../../testing/report-tests.js';
import { runTests } from '../../testing/run-tests.js';
import type { CommandContext } from '../command-context.js';
import type { TestCommandOptions } from '../commands/test.js';
import { type ExitCode, exitCodeOf, exitCodes } from '../exit-codes.js';
import { testSurroundings } from './test-surroundings.js';
import { writeReport } from './write-report.js';

/** `lait test`: runs test files and reports each assertion. Source: facts §19. */
export async function testCommand(
  paths: readonly string[],
  options: TestCommandOptions,
  context: CommandContext,
): Promise<ExitCode> {
  const { output, signal } = context;
  const { repeat, filter, update = false, jobs } = options;
  const files = await findTestFiles(paths, 'test');
  const results = await runTests(files, {
    ...(await testSurroundings(context)),
    repeat,
    filter,
    update,
    jobs,
  });
  signal.throwIfAborted();
  await writeReport(testReports[options.format](results), options.output, context);
  if (results.length === 0) {
    const hint = filter === undefined ? 'no test file was found' : `no test matches --filter '${filter}'`;
    output.line(`lait: ${hint}`);
    return exitCodes.failed;
  }
  const failed = results.filter(({ pass }) => !pass);
  if (failed.length === 0) return exitCodes.ok;
  if (failed.some(({ run }) => isReplayMiss(run.error)))
    output.note('`lait test PATH --update` asks the live model and records its replies');
  output.line(`lait: ${failed.length} of ${results.length} test(s) failed`);
  const invalid = failed.some(({ run }) => exitCodeOf(run.error) === exitCodes.definition);
  return invalid ? exitCodes.definition : exitCodes.failed;
}

function isReplayMiss(error: unknown): boolean {
  return causes(error).some((cause) => isLaitError(cause) && cause.code === 'replay_miss');
}
