import { Argument, type Command, Option } from 'commander';
import type { AttentionChoice } from '../../runs/run-questions.js';
import type { Start } from '../command-list.js';
import { repeated } from '../repeated.js';
import type { ContinueOptions } from '../runs/continue-run.js';
import type { AnswerOptions, AttentionOptions, RerunOptions } from '../runs/run-actions.js';

const work = () => import('../runs/run-actions.js');

/** Declares the subcommands of `lait runs` that let a run go on or end. */
export function configureRunActions(command: Command, start: Start): void {
  continuing(command, 'approve')
    .description('Consent to everything that a run will do, and run it')
    .option('--json', 'print {content, reasoning, usage} as one JSON document')
    .action((runId: string, options: ContinueOptions) =>
      start(async (context) => (await work()).approveRun(runId, options, context)),
    );
  continuing(command, 'answer')
    .description('Answer the open question of a run, and let it go on')
    .usage('[options] <run-id> [address] [answer]')
    .argument(
      '[address|answer...]',
      'the answer; before it the address of its question, or the id of its step, when there are several',
    )
    .option('--json <json>', 'the answer as JSON, e.g. for a tool that waits to be resumed')
    .action((runId: string, words: string[], options: AnswerOptions) =>
      start(async (context) => (await work()).answerRun(runId, words, options, context)),
    );
  continuing(command, 'attention')
    .description('Decide about a call that may have happened')
    .addArgument(
      new Argument(
        '<decision>',
        'adopt its result, reexecute it, fail it, or interrupt the run until somebody resumes it',
      ).choices(['adopt', 'reexecute', 'fail', 'interrupt']),
    )
    .option('--result <json>', 'with adopt: what the call gave, when nothing is known of it')
    .option('--reason <text>', 'with fail: the message of the failure')
    .option('--address <address>', 'the question, when there are several')
    .option('--json', 'print {content, reasoning, usage} as one JSON document')
    .action((runId: string, decision: AttentionChoice, options: AttentionOptions) =>
      start(async (context) => (await work()).decideRun(runId, decision, options, context)),
    );
  continuing(command, 'resume')
    .description('Let a run go on that was interrupted or lost its process')
    .option('--approve', 'consent to everything that it will do')
    .option('--json', 'print {content, reasoning, usage} as one JSON document')
    .action((runId: string, options: ContinueOptions) =>
      start(async (context) => (await work()).resumeRun(runId, options, context)),
    );
  continuing(command, 'rerun')
    .description('Repeat a run that has ended as a new one')
    .option(
      '--from <node>',
      'begin at this node with the results of what came before (start: at the beginning)',
    )
    .option('--input <key=value>', 'replace an input; repeat for more', repeated)
    .option('--input-json <json>', 'replace all inputs by this JSON text, or @FILE')
    .option('--approve', 'consent to everything that it will do')
    .option('--json', 'print {content, reasoning, usage} as one JSON document')
    .action((runId: string, options: RerunOptions) =>
      start(async (context) => (await work()).rerunRun(runId, options, context)),
    );
  named(command, 'cancel')
    .description('End a run that waits, or ask the one that is worked on to stop')
    .option('--json', 'print {run_id, status}')
    .action((runId: string, options: { json?: true; database?: string }) =>
      start(async (context) => (await work()).cancelRun(runId, options, context)),
    );
}

function named(command: Command, name: string): Command {
  return command
    .command(name)
    .argument('<run-id>', 'a run id, or latest')
    .option('--database <url>', 'a database instead of .lait: a SQLite file, or postgres://…');
}

/** A subcommand after which the run goes on in the foreground. */
function continuing(command: Command, name: string): Command {
  return named(command, name)
    .option('--no-continue', 'only record it; `lait runs resume` or a server goes on')
    .option('--answers <file>', 'answer further questions from a file: JSON or YAML, step ids to answers')
    .option('-o, --output <path>', 'write the result to a file instead of standard output (- for that)')
    .addOption(new Option('--record <dir>', 'save every model reply in this directory').conflicts('replay'))
    .option('--replay <dir>', 'answer model requests from saved replies only')
    .option(
      '--limit <name=value>',
      'what the run may spend from now on, in place of what it was given; repeat for more',
      repeated,
    )
    .option('--show-usage', 'print tokens and cost per step')
    .option('-q, --quiet', 'no progress, only warnings and errors')
    .addOption(
      new Option('--progress <mode>', 'how progress is shown')
        .choices(['auto', 'live', 'plain'])
        .default('auto'),
    );
}
