import type { Command } from 'commander';
import type { Start } from './command-list.js';
import type { RegisteredSection } from './list-registered.js';

/** Adds `list` below a command: the entries of one section of lait.config.yml. `shown` says what is told of each. */
export function addListCommand(
  command: Command,
  section: RegisteredSection,
  start: Start,
  shown = 'path and description',
): void {
  const name = command.name();
  command
    .command('list')
    .description(`List the ${section} of lait.config.yml with ${shown}`)
    .option('--json', 'print JSON')
    .addHelpText('after', `\nExamples:\n  lait ${name} list\n  lait ${name} list --json`)
    .action((options: { json?: true }) =>
      start(async (context) => {
        const { listRegistered } = await import('./list-registered.js');
        return listRegistered(section, options, context);
      }),
    );
}
