import { type Command, Option } from 'commander';
import type { ReportFormat } from '../../testing/report-tests.js';
import type { CommandModule, Start } from '../command-list.js';
import { wholeNumber } from '../whole-number.js';

/** Flags of `lait eval`, as parsed. */
export interface EvalCommandOptions {
  format: ReportFormat;
  output?: string;
  repeat: number;
  filter?: string;
  jobs: number;
}

const examples = `
Examples:
  lait eval evals/triage.yml --repeat 5
  lait eval evals --format json -o scores.json
  lait eval evals --filter billing --jobs 4

An eval file names a workflow or a prompt and cases for the live model: see \`lait schema eval\`.
Exit codes: 0 every run of every case passed, 1 some did not, 2 usage, 3 an eval file or its workflow is invalid.`;

export const configure: CommandModule['configure'] = (command: Command, start: Start) => {
  command
    .argument('<path...>', 'eval files, or directories with them')
    .addOption(
      new Option('--format <format>', 'how results are printed')
        .choices(['text', 'json', 'junit'])
        .default('text'),
    )
    .option('-o, --output <path>', 'write the report to a file instead of standard output (- for that)')
    .option('--filter <text>', 'only cases whose file, eval name or own name holds this text')
    .option('--repeat <n>', 'run each case so often', wholeNumber('--repeat', 1), 1)
    .option('--jobs <n>', 'how many runs are under way at once', wholeNumber('--jobs', 1), 1)
    .addHelpText('after', examples)
    .action((paths: string[], options: EvalCommandOptions) =>
      start(async (context) => {
        const { evalCommand } = await import('../testing/eval-command.js');
        return evalCommand(paths, options, context);
      }),
    );
};
