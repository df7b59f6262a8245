import { type Command, Option } from 'commander';
import type { CommandModule, Start } from '../command-list.js';
import type { LintFormat } from '../lint/lint-formats.js';

const examples = `
Examples:
  lait lint workflow.yml agents/*.md
  lait lint . --format github                           (annotations in GitHub Actions)

Exit codes: 0 no errors (there may be warnings), 2 nothing to check, 3 a file has errors.`;

export const configure: CommandModule['configure'] = (command: Command, start: Start) => {
  command
    .argument('<path...>', 'workflow files, agent files, lait.config.yml, or directories with them')
    .addOption(
      new Option('--format <format>', 'how problems are printed')
        .choices(['text', 'json', 'github', 'sarif'])
        .default('text'),
    )
    .addHelpText('after', examples)
    .action((paths: string[], options: { format: LintFormat }) =>
      start(async (context) => {
        const { lintPaths } = await import('../lint/lint-paths.js');
        return lintPaths(paths, options.format, context);
      }),
    );
};
