import type { Command } from 'commander';
import type { BackupOptions } from '../backup/backup-command.js';
import type { CommandModule, Start } from '../command-list.js';

export const configure: CommandModule['configure'] = (command: Command, start: Start) => {
  command
    .argument('<file>', 'a file that lait backup wrote')
    .option('--database <url>', 'the SQLite file of the server (default: .lait/lait.db)')
    .option('--force', 'put it in the place of a database that is there; that one is kept beside it')
    .addHelpText(
      'after',
      `
Examples:
  lait restore backups/lait-monday.db
  lait restore backups/lait-monday.db --force --database /srv/lait/lait.db

Stop the server first. Runs that were under way when the backup was made go on from there: what they did later
happens again.`,
    )
    .action((file: string, options: BackupOptions) =>
      start(async (context) => {
        const { restoreCommand } = await import('../backup/backup-command.js');
        await restoreCommand(file, options, context);
        return undefined;
      }),
    );
};
