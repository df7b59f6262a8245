import type { Command } from 'commander';
import type { CommandModule, Start } from '../command-list.js';

const examples = `
Examples:
  lait man | man -l -                                   (shows it)
  lait man run | man -l -
  lait man > /usr/local/share/man/man1/lait.1           (installs it)`;

export const configure: CommandModule['configure'] = (command: Command, start: Start) => {
  command
    .argument('[command]', 'the command whose page is wanted; default: the page of all')
    .addHelpText('after', examples)
    .action((name: string | undefined) =>
      start(async (context) => {
        const { manual } = await import('../man/man-command.js');
        return manual(name, context);
      }),
    );
};
