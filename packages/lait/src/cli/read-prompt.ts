import type { Readable } from 'node:stream';
import { UsageError } from '../errors/errors.js';
import { collect, decodeText } from '../files/read-file.js';
import type { CommandContext } from './command-context.js';

/** How much piped text is taken: as much as an expression may be given. Source: facts §8. */
const maxInputBytes = 64 * 1024 * 1024;

const silenceMilliseconds = 1000;

export interface PromptSources {
  /** The PROMPT argument; `-` means standard input. */
  argument?: string;
  stdin: Readable & { isTTY?: boolean };
  /** False for `--no-stdin`. */
  readStdin: boolean;
  signal: AbortSignal;
  /** Told once when nothing has arrived for a second. */
  onSilence: () => void;
}

/**
 * The prompt: the argument, what is piped in, or both joined by a blank line. One line break at the end of piped text
 * does not count, and empty piped text counts as nothing. A terminal is read only for `-`.
 * Throws a `UsageError` for `-` with `--no-stdin`, and what `collect` and `decodeText` throw. Source: facts §1.2.
 */
export async function readPrompt(sources: PromptSources): Promise<string | undefined> {
  const { argument, stdin, readStdin } = sources;
  const asked = argument === '-';
  if (asked && !readStdin) {
    throw new UsageError({
      code: 'options_exclude',
      message: "PROMPT '-' and --no-stdin exclude each other",
    });
  }
  const own = asked ? undefined : argument;
  if (!readStdin || (stdin.isTTY === true && !asked)) return own;
  const piped = (await readAll(sources)).replace(/\r?\n$/, '');
  if (piped === '') return own;
  return own === undefined ? piped : `${own}\n\n${piped}`;
}

/** The same for a command, which says when it waits for standard input. */
export function readCommandPrompt(
  argument: string | undefined,
  readStdin: boolean,
  { output, signal }: Pick<CommandContext, 'output' | 'signal'>,
): Promise<string | undefined> {
  const onSilence = () =>
    output.note('waiting for standard input (end it, or use --no-stdin to leave it unread)');
  return readPrompt({ argument, stdin: process.stdin, readStdin, signal, onSilence });
}

async function readAll({ stdin, signal, onSilence }: PromptSources): Promise<string> {
  const timer = setTimeout(onSilence, silenceMilliseconds);
  const abort = () => stdin.destroy(signal.reason as Error);
  const chunks = withFirst(stdin, () => clearTimeout(timer));
  signal.addEventListener('abort', abort, { once: true });
  try {
    signal.throwIfAborted();
    return decodeText(await collect(chunks, 'standard input', maxInputBytes), 'standard input');
  } catch (error) {
    if ((error as { code?: string }).code === 'EISDIR') {
      throw new UsageError({ code: 'stdin_directory', message: 'standard input is a directory' });
    }
    throw error;
  } finally {
    clearTimeout(timer);
    signal.removeEventListener('abort', abort);
  }
}

/** The chunks of a stream; `onFirst` is told when it has begun. */
async function* withFirst(stream: Readable, onFirst: () => void): AsyncIterable<Uint8Array> {
  for await (const chunk of stream) {
    onFirst();
    yield chunk as Uint8Array;
  }
}
