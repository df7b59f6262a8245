import { type Command, Option } from 'commander';
import type { ReportFormat } from '../../testing/report-tests.js';
import type { CommandModule, Start } from '../command-list.js';
import { wholeNumber } from '../whole-number.js';

/** Flags of `lait test`, as parsed. */
export interface TestCommandOptions {
  format: ReportFormat;
  output?: string;
  repeat: number;
  filter?: string;
  update?: true;
  jobs: number;
}

const examples = `
Examples:
  lait test tests                                       (every test file below the directory)
  lait test tests/triage.yml --update                   (asks the live model and records its replies)
  lait test . --format junit -o report.xml

A test file names a workflow, its input, recorded replies and what must hold: see \`lait schema test\`.
Exit codes: 0 all passed, 1 some failed, 2 usage, 3 a test file or its workflow is invalid, 130 Ctrl-C.`;

export const configure: CommandModule['configure'] = (command: Command, start: Start) => {
  command
    .argument('<path...>', 'test files, or directories with them')
    .addOption(
      new Option('--format <format>', 'how results are printed')
        .choices(['text', 'json', 'junit'])
        .default('text'),
    )
    .option('-o, --output <path>', 'write the report to a file instead of standard output (- for that)')
    .option('--filter <text>', 'only tests whose file or name holds this text')
    .option('--update', 'ask the live model and record its replies anew')
    .option('--repeat <n>', 'run each test so often; all runs must pass', wholeNumber('--repeat', 1), 1)
    .option('--jobs <n>', 'how many files are worked on at once', wholeNumber('--jobs', 1), 8)
    .addHelpText('after', examples)
    .action((paths: string[], options: TestCommandOptions) =>
      start(async (context) => {
        const { testCommand } = await import('../testing/test-command.js');
        return testCommand(paths, options, context);
      }),
    );
};
