import type { Command } from 'commander';
import type { CommandModule, Start } from '../command-list.js';

const examples = `
Examples:
  lait doctor
  lait doctor --json

Lines begin with OK, WARN or NG; any NG gives exit code 1. Keys are never printed.`;

export const configure: CommandModule['configure'] = (command: Command, start: Start) => {
  command
    .option('--json', 'print JSON')
    .addHelpText('after', examples)
    .action((options: { json?: true }) =>
      start(async (context) => {
        const { doctor } = await import('../doctor/doctor.js');
        return doctor(options, context);
      }),
    );
};
