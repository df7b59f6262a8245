import type { Command } from 'commander';
import type { CommandModule, Start } from '../command-list.js';

const examples = `
Examples:
  lait models                                           (aliases of lait.config.yml; * marks the default)
  lait models --json
  lait models --remote --base-url http://localhost:11434/v1`;

export const configure: CommandModule['configure'] = (command: Command, start: Start) => {
  command
    .option('--json', 'print JSON')
    .option('--remote', 'ask the server which models it has')
    .option('--base-url <url>', 'the API to ask; default: of the default model')
    .addHelpText('after', examples)
    .action((options: { json?: true; remote?: true; baseUrl?: string }) =>
      start(async (context) => {
        const { listModels } = await import('../list-models.js');
        return listModels(options, context);
      }),
    );
};
