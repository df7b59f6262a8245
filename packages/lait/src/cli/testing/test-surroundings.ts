import { printable } from '../../observe/printable.js';
import { ProgressLines } from '../../observe/progress-lines.js';
import type { TestSurroundings } from '../../testing/test-services.js';
import type { CommandContext } from '../command-context.js';

/** Where `lait test` and `lait eval` run: as `lait run` would, each line on standard error behind its file. */
export async function testSurroundings(context: CommandContext): Promise<TestSurroundings> {
  const { output, signal, secrets, workingDirectory, options } = context;
  const lines = new Map<string, ProgressLines>();
  return {
    configuration: await context.configuration(),
    variables: await context.variables(),
    workingDirectory,
    secrets,
    signal,
    cache: options.cache === true,
    onEvent(file, event) {
      if (options.verbosity === 0 && event.type !== 'warning') return;
      const shown = lines.get(file) ?? new ProgressLines({ verbosity: options.verbosity });
      lines.set(file, shown);
      for (const line of shown.lines(event)) output.line(`${printable(file)}: ${line}`);
    },
  };
}
