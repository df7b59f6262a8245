import type { Command } from 'commander';
import { UsageError } from '../../../errors/errors.js';
import type { Start } from '../../command-list.js';
import { repeated } from '../../repeated.js';

/** What every subcommand of `lait runs` that works on a server is asked with. */
export interface ServerCall {
  name: string;
  args: readonly string[];
  options: Readonly<Record<string, unknown>>;
  server: string;
}

/**
 * Lets each subcommand work on the runs of a server instead of local ones: with `--server` its own work is not done, and
 * the server is asked. Gives the `start` that subcommands must use.
 */
export function orOnServer(command: Command, start: Start): Start {
  return (work) => {
    const called = command.commands.find((one) => typeof one.opts().server === 'string');
    if (called === undefined) return start(work);
    const { server, ...options } = called.opts() as Record<string, unknown> & { server: string };
    return start(async (context) => {
      if (options.database !== undefined)
        throw new UsageError({
          code: 'options_exclude',
          message: '--server and --database exclude each other',
        });
      const { callServer } = await import('./server-runs.js');
      const args = called.processedArgs.flat().filter((one): one is string => typeof one === 'string');
      return callServer({ name: called.name(), args, options, server }, context);
    });
  };
}

/** Declares `--server` for every subcommand, and the ones that only a server has. */
export function declareServer(command: Command, start: Start): void {
  command
    .command('start')
    .description('Start a run on a server')
    .argument('<workflow>', 'a workflow of the server')
    .argument('[prompt]', 'the first value, a text')
    .option('--input <key=value>', 'a named input, JSON or else text; repeat for more', repeated)
    .option('--input-json <json>', 'the whole input as JSON text, or @FILE with JSON in it')
    .option('--follow', 'show its log until it has ended or waits')
    .option('--tokens', 'with --follow: show replies while they are written')
    .option('--json', 'print JSON')
    .action(() =>
      start(async () => {
        throw new UsageError({
          code: 'usage',
          message: 'say which server: --server URL; `lait run FILE` runs a file here',
        });
      }),
    );
  for (const one of command.commands)
    one.option('--server <url>', 'the runs of this server; its token is read from LAIT_TOKEN');
}
