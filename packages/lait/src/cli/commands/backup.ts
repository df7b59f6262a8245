import type { Command } from 'commander';
import type { BackupOptions } from '../backup/backup-command.js';
import type { CommandModule, Start } from '../command-list.js';

export const configure: CommandModule['configure'] = (command: Command, start: Start) => {
  command
    .argument('<file>', 'the file to write')
    .option('--database <url>', 'the SQLite file of the server (default: .lait/lait.db)')
    .option('--force', 'replace the file when it exists')
    .addHelpText(
      'after',
      `
Examples:
  lait backup backups/lait-monday.db        (the server may go on meanwhile)
  lait restore backups/lait-monday.db --force

For PostgreSQL use pg_dump.`,
    )
    .action((file: string, options: BackupOptions) =>
      start(async (context) => {
        const { backupCommand } = await import('../backup/backup-command.js');
        await backupCommand(file, options, context);
        return undefined;
      }),
    );
};
