import { type Command, Option } from 'commander';
import type { CommandModule, Start } from '../command-list.js';

const examples = `
Examples:
  lait trust --show                                     (what lait.config.yml may run, and where it sends what)
  lait trust                                            (trusts exactly that)
  lait trust --revoke

A project's configuration is asked about on a terminal when it is used first, and again when it may do more.`;

export const configure: CommandModule['configure'] = (command: Command, start: Start) => {
  command
    .addOption(new Option('--show', 'show it and change nothing').conflicts('revoke'))
    .option('--revoke', 'trust it no longer')
    .addHelpText('after', examples)
    .action((options: { show?: true; revoke?: true }) =>
      start(async (context) => {
        const { trustCommand } = await import('../trust/trust-command.js');
        return trustCommand(options, context);
      }),
    );
};
