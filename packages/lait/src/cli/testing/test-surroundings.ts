import { UsageError } from '../../errors/errors.js';
import { ProgressLines } from '../../observe/progress-lines.js';
import type { TestSurroundings } from '../../testing/test-services.js';
import { printable } from '../../values/printable.js';
import type { CommandContext } from '../command-context.js';

/** Where `lait test` and `lait eval` run: as `lait run` would, each line on standard error behind its file. */
export async function testSurroundings(context: CommandContext): Promise<TestSurroundings> {
  const { output, signal, secrets, workingDirectory, options } = context;
  if (options.approveTools) {
    throw new UsageError({
      code: 'options_exclude',
      message: 'tests run without a person: use tool_policy in lait.config.yml instead of --approve-tools',
    });
  }
  const lines = new Map<string, ProgressLines>();
  return {
    configuration: await context.trustedConfiguration(),
    variables: await context.variables(),
    workingDirectory,
    secrets,
    signal,
    cache: options.cache === true,
    explaining: options.verbosity > 0,
    onServerLog: (server, line) => context.log(1, `${server}: ${line}`),
    onEvent(file, event) {
      if (options.verbosity === 0 && event.type !== 'warning') return;
      const shown = lines.get(file) ?? new ProgressLines({ verbosity: options.verbosity });
      lines.set(file, shown);
      for (const line of shown.lines(event)) output.line(`${printable(file)}: ${line}`);
    },
  };
}
