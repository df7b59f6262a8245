import type { Configuration } from '../../config/configuration.js';
import { createLait } from '../../create-lait.js';
import type { RunEvent } from '../../engine/events.js';
import type { Lait } from '../../lait.js';
import type { CommandContext } from '../command-context.js';
import { readLimits } from '../read-limits.js';
import { RecordedRuns, type StoreOptions } from '../runs/recorded-runs.js';
import { Replies } from '../runs/replies.js';
import { ScriptedAnswers } from '../runs/scripted-answers.js';
import { Terminal } from '../terminal.js';
import type { RunDisplay } from './run-display.js';

/** Flags that say what a lait of the command line works with. */
export interface LaitFlags extends StoreOptions {
  record?: string;
  replay?: string;
  stream?: true;
  /** `--limit`, as given. */
  limit?: readonly string[];
  /** A file with answers. */
  answers?: string;
}

/** A lait for the command line, the records of its runs, and who answers its questions. */
export interface ConfiguredLait {
  lait: Lait;
  records: RecordedRuns;
  replies: Replies;
  /** Told of what happens in recorded runs. */
  listeners: Set<(event: RunEvent) => void>;
  close(): Promise<void>;
}

/** Makes a lait of what the command line says. Throws what `ScriptedAnswers.read` and `createLait` throw. */
export async function configuredLait(
  configuration: Configuration,
  flags: LaitFlags,
  context: CommandContext,
  display: RunDisplay,
): Promise<ConfiguredLait> {
  const { output, secrets, signal, workingDirectory } = context;
  const { verbosity, cache, approveTools } = context.options;
  const variables = await context.variables();
  const terminal = new Terminal({
    input: process.stdin,
    output,
    pause: () => display.pause(),
    resume: () => display.resume(),
    attended: !isAutomated(variables),
  });
  const scripted =
    flags.answers === undefined ? undefined : await ScriptedAnswers.read(flags.answers, signal);
  const records = await RecordedRuns.of(context, flags);
  const listeners = new Set<(event: RunEvent) => void>();
  const lait = await createLait({
    config: configuration,
    variables,
    workingDirectory,
    secrets,
    recordDirectory: flags.record,
    replayDirectory: flags.replay,
    cache,
    limits: readLimits(flags.limit),
    streaming: flags.stream === true,
    explaining: verbosity > 0,
    onServerLog: (server, line) => context.log(1, `${server}: ${line}`),
    store: () => records.store(),
    onRunEvent: (_, event) => {
      for (const listener of listeners) listener(event);
    },
    answer: async (question, { address, signal }) =>
      scripted?.find(address, question)?.answer ?? (await terminal.answer(question, signal)),
    ...(approveTools ? { approve: (text, signal) => terminal.approve(text, signal) } : {}),
  });
  return {
    lait,
    records,
    replies: new Replies(terminal, output, scripted),
    listeners,
    close: async () => {
      await lait.close();
      await records.close();
    },
  };
}

/** Build servers run commands on terminals at which nobody sits. Source: field report FR-38. */
function isAutomated({ CI }: Readonly<Record<string, string | undefined>>): boolean {
  return CI !== undefined && !['', '0', 'false'].includes(CI.toLowerCase());
}
