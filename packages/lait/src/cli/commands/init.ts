import { Argument, type Command } from 'commander';
import type { CommandModule, Start } from '../command-list.js';

const examples = `
Examples:
  lait init                                             (lait.config.yml)
  lait init workflow                                    (workflow.yml)
  lait init agent agents/reviewer.md

Existing files are never overwritten; .lait/ is added to .gitignore.`;

export const configure: CommandModule['configure'] = (command: Command, start: Start) => {
  command
    .addArgument(
      new Argument('[kind]', 'what to write; without it lait.config.yml').choices([
        'workflow',
        'agent',
        'test',
      ]),
    )
    .argument('[path]', 'where; default workflow.yml, agent.md or workflow.test.yml')
    .addHelpText('after', examples)
    .action((kind: 'workflow' | 'agent' | 'test' | undefined, path: string | undefined) =>
      start(async (context) => {
        const { init } = await import('../init/init.js');
        await init(kind ?? 'config', path, context);
      }),
    );
};
