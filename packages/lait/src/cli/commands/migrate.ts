import type { Command } from 'commander';
import type { CommandModule, Start } from '../command-list.js';

const examples = `
Examples:
  lait migrate old.yml                                  (shows the file of version 2)
  lait migrate old.yml > new.yml
  lait migrate old.yml --write                          (replaces the file)

Standard error lists what a person must look at, with places in the old file. A result that version 2 still refuses is
shown, but not written; exit code 3.`;

export const configure: CommandModule['configure'] = (command: Command, start: Start) => {
  command
    .argument('<file>', 'a workflow file of version 1')
    .option('--write', 'replace the file')
    .addHelpText('after', examples)
    .action((file: string, options: { write?: true }) =>
      start(async (context) => {
        const { migrateFile } = await import('../migrate-file.js');
        return migrateFile(file, options, context);
      }),
    );
};
