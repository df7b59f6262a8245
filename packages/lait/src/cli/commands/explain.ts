import type { Command } from 'commander';
import type { CommandModule, Start } from '../command-list.js';

const examples = `
Examples:
  lait explain unknown_field
  lait explain                                          (lists the codes)`;

export const configure: CommandModule['configure'] = (command: Command, start: Start) => {
  command
    .argument('[code]', 'the code of a problem, as in error[unknown_field]')
    .addHelpText('after', examples)
    .action((code: string | undefined) =>
      start(async (context) => {
        const { explain } = await import('../explain.js');
        return explain(code, context);
      }),
    );
};
