import { Argument, type Command } from 'commander';
import { UsageError } from '../../errors/errors.js';
import type { CommandModule, Start } from '../command-list.js';

const examples = `
Examples:
  lait init                                             (lait.config.yml)
  lait init workflow                                    (workflow.yml)
  lait init agent agents/reviewer.md
  lait init --example triage                            (with recorded replies; any other word lists them)

Beside a new file lies the schema that its first line names to editors.
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
    .option('--example <name>', 'copy an example into a directory of its name, or to --output')
    .option('-o, --output <directory>', 'where the example is copied to')
    .addHelpText('after', examples)
    .action((kind: 'workflow' | 'agent' | 'test' | undefined, path: string | undefined, options: Options) =>
      start(async (context) => {
        const { example, output } = options;
        if (example === undefined) {
          if (output !== undefined) throw usage('--output belongs to --example');
          const { init } = await import('../init/init.js');
          await init(kind ?? 'config', path, context);
          return;
        }
        if (kind !== undefined) throw usage('--example copies a whole directory; leave the kind out');
        const { copyExample } = await import('../init/copy-example.js');
        await copyExample(example, output, context);
      }),
    );
};

interface Options {
  example?: string;
  output?: string;
}

const usage = (message: string) => new UsageError({ code: 'conflicting_options', message });
