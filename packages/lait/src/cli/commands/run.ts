import { type Command, Option } from 'commander';
import type { CommandModule, Start } from '../command-list.js';
import { repeated } from '../repeated.js';
import type { RecordOptions } from '../run/record-options.js';
import type { TraceOptions } from '../run/run-trace.js';
import type { StoreOptions } from '../runs/recorded-runs.js';
import { wholeNumber } from '../whole-number.js';

/** Flags of `lait run`, as parsed. */
export interface RunOptions extends RecordOptions, TraceOptions, StoreOptions {
  park?: true;
  limit?: string[];
  approve?: true;
  answers?: string;
  input?: string[];
  inputJson?: string;
  output?: string;
  json?: true;
  stdin: boolean;
  history: boolean;
  record?: string;
  replay?: string;
  showUsage?: true;
  quiet?: true;
  progress: 'auto' | 'live' | 'plain';
  stream?: true;
  dryRun?: true;
  watch?: true;
}

const examples = `
Examples:
  lait run workflow.yml "text to work on"
  cat notes.txt | lait run summarize.yml --input lang=en --input tags='["a","b"]'
  lait run nightly --no-stdin --output report.md        (a name under workflows: of lait.config.yml)
  lait run workflow.yml "text" --record replies         (then --replay replies needs no model)
  lait run workflow.yml "text" --limit max_cost=0.50 --limit max_duration=600
  lait run graph.json --input topic=export              (waits for people; see lait runs --help)

The result goes to standard output, everything else to standard error.
Exit codes: 0 done, 1 failed, 2 usage, 3 invalid definition, 4 model API, 5 timeout, 75 waits for a person, 130 Ctrl-C.`;

export const configure: CommandModule['configure'] = (command: Command, start: Start) => {
  command
    .argument('<file>', 'a workflow file, or a name under workflows: of lait.config.yml')
    .argument('[prompt]', 'the first value; joined with what is piped in; - for standard input alone')
    .option('--input <key=value>', 'a named input; repeat for more, later ones win', repeated)
    .option('--input-json <json>', 'the whole input as JSON text, or @FILE with JSON in it')
    .option('-o, --output <path>', 'write the result to a file instead of standard output (- for that)')
    .option('--json', 'print {content, reasoning, usage} as one JSON document')
    .option('--no-stdin', 'leave standard input unread')
    .addOption(new Option('--record <dir>', 'save every model reply in this directory').conflicts('replay'))
    .option('--replay <dir>', 'answer model requests from saved replies only')
    .option(
      '--limit <name=value>',
      'stop at max_tokens, max_cost, max_model_calls or max_duration (seconds); repeat for more',
      repeated,
    )
    .option('--show-usage', 'print tokens and cost per step')
    .option('--stream', 'show replies as they arrive')
    .option('-q, --quiet', 'no progress, only warnings and errors')
    .addOption(
      new Option('--progress <mode>', 'how progress is shown')
        .choices(['auto', 'live', 'plain'])
        .default('auto'),
    )
    .addOption(
      new Option('--dry-run', 'say what would be done, step by step, and run nothing').conflicts([
        'resume',
        'from',
      ]),
    )
    .addOption(
      new Option(
        '--watch',
        'run again when a file changes; unchanged leading steps keep their values',
      ).conflicts(['dryRun', 'checkpoint', 'resume', 'from', 'traceFile', 'otlp']),
    )
    .option('--checkpoint', 'record the run after each top-level step, so that it can be resumed')
    .option('--resume <run-id>', 'go on behind the last finished step of a recorded run (or: latest)')
    .option(
      '--from <step>',
      'begin a new run at this step, with what the newest or the --resume run recorded before',
    )
    .option('--keep-items', 'with --resume: do not repeat the finished items of an interrupted for_each')
    .option(
      '--max-tool-rounds <n>',
      'with --resume: most further exchanges in the conversation of a step that ran out of tool rounds',
      wholeNumber('--max-tool-rounds', 1),
    )
    .addOption(
      new Option(
        '--park',
        'let the run wait for people: it is recorded, and exit code 75 says that it waits (graphs always can)',
      ).conflicts(['checkpoint', 'resume', 'from', 'keepItems', 'maxToolRounds', 'dryRun', 'watch']),
    )
    .option('--approve', 'consent to everything that a graph does, instead of waiting for approval')
    .option('--answers <file>', 'answer questions from a file: JSON or YAML, step ids to answers')
    .option(
      '--database <url>',
      'record the run in a database: a SQLite file, or postgres://… (default: .lait)',
    )
    .option('--trace-file <path>', 'write model calls, tool calls and compactions as JSON Lines')
    .option('--otlp <url>', 'send every span of the run to an OpenTelemetry collector (OTLP over HTTP)')
    .option('--no-history', 'leave the run out of the history')
    .addHelpText('after', examples)
    .action((file: string, prompt: string | undefined, options: RunOptions) =>
      start(async (context) => {
        const { runWorkflow } = await import('../run/run-workflow.js');
        const startedAt = Date.now();
        const code = await runWorkflow(file, prompt, options, context);
        if (options.history && options.dryRun !== true) {
          const { remember } = await import('../history/remember.js');
          const at = new Date(startedAt).toISOString();
          const duration_ms = Date.now() - startedAt;
          const entry = { command: 'run', name: file, prompt: prompt ?? null, answer: null } as const;
          await remember({ at, ...entry, exit_code: code, duration_ms }, context);
        }
        return code;
      }),
    );
};
