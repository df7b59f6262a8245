import { type Command, Option } from 'commander';
import type { CommandModule, Start } from '../command-list.js';

/** Flags of `lait convert`, as parsed. */
export interface ConvertOptions {
  to: 'steps' | 'dynamic';
  output?: string;
}

const examples = `
Examples:
  lait convert definition.json --to steps -o workflow.yml
  lait convert workflow.yml --to dynamic

What the other form cannot say is listed, each with its place, and nothing is written.`;

export const configure: CommandModule['configure'] = (command: Command, start: Start) => {
  command
    .argument('<file>', 'a workflow file, or a name under workflows: of lait.config.yml')
    .addOption(
      new Option('--to <form>', 'the form to translate to')
        .choices(['steps', 'dynamic'])
        .makeOptionMandatory(),
    )
    .option('-o, --output <path>', 'write to a file instead of standard output (- for that)')
    .addHelpText('after', examples)
    .action((file: string, options: ConvertOptions) =>
      start(async (context) => {
        const { convertWorkflow } = await import('../convert-workflow.js');
        await convertWorkflow(file, options, context);
        return undefined;
      }),
    );
};
