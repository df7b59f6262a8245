import type { Command } from 'commander';
import type { CommandModule, Start } from '../command-list.js';

const examples = `
Examples:
  lait agent list
  lait agent list --json`;

export const configure: CommandModule['configure'] = (command: Command, start: Start) => {
  command
    .command('list')
    .description('List the agents of lait.config.yml with path and description')
    .helpOption('-h, --help', 'show help')
    .option('--json', 'print JSON')
    .addHelpText('after', examples)
    .action((options: { json?: true }) =>
      start(async (context) => {
        const { listRegistered } = await import('../list-registered.js');
        return listRegistered('agents', options, context);
      }),
    );
};
