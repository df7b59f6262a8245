import type { Command } from 'commander';
import type { CommandModule, Start } from '../command-list.js';

const examples = `
Examples:
  lait run workflow.yml "text" --checkpoint             (records the run)
  lait runs list
  lait runs show latest --json
  lait runs rm 20260903-141233-123456789-12345-0
  lait runs rm --completed

Records are files in .lait/runs below the current directory. They hold the values of the run; keys are left out.`;

export const configure: CommandModule['configure'] = (command: Command, start: Start) => {
  command.addHelpText('after', examples);
  command
    .command('list')
    .description('List recorded runs, the newest first: id, status, finished steps, file')
    .helpOption('-h, --help', 'show help')
    .option('--json', 'print JSON')
    .action((options: { json?: true }) =>
      start(async (context) => {
        const { listRuns } = await import('../runs/list-runs.js');
        await listRuns(options, context);
        return undefined;
      }),
    );
  command
    .command('show')
    .description('Show what a run has recorded')
    .helpOption('-h, --help', 'show help')
    .argument('<run-id>', 'a run id, or latest')
    .option('--json', 'print JSON')
    .action((runId: string, options: { json?: true }) =>
      start(async (context) => {
        const { showRun } = await import('../runs/show-run.js');
        await showRun(runId, options, context);
        return undefined;
      }),
    );
  command
    .command('rm')
    .description('Remove recorded runs')
    .helpOption('-h, --help', 'show help')
    .argument('[run-id...]', 'run ids, or latest')
    .option('--completed', 'remove every run that has completed')
    .action((runIds: string[], options: { completed?: true }) =>
      start(async (context) => {
        const { removeRuns } = await import('../runs/remove-runs.js');
        await removeRuns(runIds, options, context);
        return undefined;
      }),
    );
};
