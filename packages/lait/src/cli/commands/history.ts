import type { Command } from 'commander';
import type { CommandModule, Start } from '../command-list.js';
import type { HistoryOptions } from '../history/history-command.js';
import { wholeNumber } from '../whole-number.js';

const examples = `
Examples:
  lait history list --limit 50
  lait history list --search invoice --here
  lait history show 1                                   (the newest)
  lait history clear

Requests and runs are kept where default.history is true in the configuration, with known keys masked.`;

export const configure: CommandModule['configure'] = (command: Command, start: Start) => {
  command.addHelpText('after', examples);
  command
    .command('list', { isDefault: true })
    .description('List the newest requests and runs')
    .option('--limit <n>', 'how many; default 20', wholeNumber('--limit', 1))
    .option('--search <text>', 'only those whose name, prompt or answer holds this text')
    .option('--here', 'only those of this directory')
    .option('--json', 'print JSON')
    .addHelpText('after', examples)
    .action((options: HistoryOptions) =>
      start(async (context) => {
        const { listHistory } = await import('../history/history-command.js');
        return listHistory(options, context);
      }),
    );
  command
    .command('show')
    .description('Show one whole')
    .argument('<number>', 'as the list numbers them; 1 is the newest', wholeNumber('NUMBER', 1))
    .option('--json', 'print JSON')
    .addHelpText('after', examples)
    .action((number: number, options: { json?: true }) =>
      start(async (context) => {
        const { showHistory } = await import('../history/history-command.js');
        return showHistory(number, options, context);
      }),
    );
  command
    .command('clear')
    .description('Forget everything')
    .addHelpText('after', examples)
    .action(() =>
      start(async (context) => {
        const { clearHistory } = await import('../history/history-command.js');
        return clearHistory(context);
      }),
    );
};
