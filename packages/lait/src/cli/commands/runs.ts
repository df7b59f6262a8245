import type { Command } from 'commander';
import type { CommandModule, Start } from '../command-list.js';
import { declareServer, orOnServer } from '../runs/server/on-server.js';
import type { EventsOptions } from '../runs/show-events.js';
import { wholeNumber } from '../whole-number.js';
import { configureRunActions } from './runs-actions.js';

const examples = `
Examples:
  lait run graph.json --input topic=export              (waits for people, exit code 75)
  lait runs list
  lait runs approve latest
  lait runs answer latest yes
  lait runs show latest --json
  lait runs rerun latest --from draft

  lait run workflow.yml "text" --checkpoint             (records the run after each step)
  lait runs rm --completed

  lait runs start triage "text" --follow --server https://lait.example.com
  lait runs list --server http://127.0.0.1:4747

Records are files in .lait below the current directory, or in a database (--database). They hold the values of the run;
keys are left out.`;

export const configure: CommandModule['configure'] = (command: Command, startHere: Start) => {
  const start = orOnServer(command, startHere);
  command.addHelpText('after', examples);
  observing(command, 'list')
    .description('List recorded runs, the newest first: id, status, what it waits for or how far it is, file')
    .option('--json', 'print JSON')
    .action((options: { json?: true; database?: string }) =>
      start(async (context) => {
        const { listRuns } = await import('../runs/list-runs.js');
        await listRuns(options, context);
        return undefined;
      }),
    );
  observing(command, 'show')
    .description('Show what a run has recorded')
    .argument('<run-id>', 'a run id, or latest')
    .option('--json', 'print JSON')
    .action((runId: string, options: { json?: true; database?: string }) =>
      start(async (context) => {
        const { showRun } = await import('../runs/show-run.js');
        await showRun(runId, options, context);
        return undefined;
      }),
    );
  observing(command, 'events')
    .description('Show the log of a run that can wait')
    .argument('<run-id>', 'a run id, or latest')
    .option('--after <number>', 'only entries behind this number', wholeNumber('--after', 0))
    .option('--follow', 'show entries as they come, until the run has ended or waits')
    .option('--tokens', 'with --follow and --server: show replies while they are written')
    .option('--json', 'print JSON; with --follow one document per line')
    .action((runId: string, options: EventsOptions) =>
      start(async (context) => {
        const { showEvents } = await import('../runs/show-events.js');
        await showEvents(runId, options, context);
        return undefined;
      }),
    );
  configureRunActions(command, start);
  observing(command, 'rm')
    .description('Remove recorded runs that have ended, and checkpoints')
    .argument('[run-id...]', 'run ids, or latest')
    .option('--completed', 'remove every run that has completed')
    .action((runIds: string[], options: { completed?: true; database?: string }) =>
      start(async (context) => {
        const { removeRuns } = await import('../runs/remove-runs.js');
        await removeRuns(runIds, options, context);
        return undefined;
      }),
    );
  command
    .command('restore')
    .description('Take the record before a damaged one of --checkpoint; the damaged file is kept')
    .argument('<run-id>', 'the run whose record is damaged')
    .action((runId: string) =>
      start(async (context) => {
        const { restoreRun } = await import('../runs/restore-run.js');
        await restoreRun(runId, context);
        return undefined;
      }),
    );
  declareServer(command, start);
};

/** A subcommand that looks at records. */
function observing(command: Command, name: string): Command {
  return command
    .command(name)
    .option('--database <url>', 'a database instead of .lait: a SQLite file, or postgres://…');
}
