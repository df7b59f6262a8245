import { Argument, type Command } from 'commander';
import type { CommandModule, Start } from '../command-list.js';
import type { DocumentKind } from '../document-schemas.js';

const examples = `
Examples:
  lait schema workflow > workflow.schema.json
  Put this in the first line of a workflow to have it checked while you type:
  # yaml-language-server: $schema=./workflow.schema.json`;

export const configure: CommandModule['configure'] = (command: Command, start: Start) => {
  command
    .addArgument(
      new Argument('<kind>', 'of which file').choices([
        'workflow',
        'dynamic',
        'config',
        'agent',
        'test',
        'eval',
      ]),
    )
    .addHelpText('after', examples)
    .action((kind: DocumentKind) =>
      start(async (context) => {
        const { printSchema } = await import('../print-schema.js');
        await printSchema(kind, context);
      }),
    );
};
