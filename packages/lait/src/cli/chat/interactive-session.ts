import { createInterface, type Interface } from 'node:readline';
import { CancelledError } from '../../errors/errors.js';
import type { AgentPlan } from '../../plan/agent.js';
import { textOf } from '../../values/text.js';
import type { CommandContext } from '../command-context.js';
import { type ExitCode, exitCodes } from '../exit-codes.js';
import { reportFailure } from '../report-failure.js';
import type { ChatOptions } from './chat-options.js';
import { ChatSession } from './chat-session.js';
import { partialText } from './partial-text.js';
import { showReply } from './show-reply.js';

export interface TalkOptions {
  options: ChatOptions;
  context: CommandContext;
  agent?: AgentPlan;
}

const help = [
  '/reset  forget what was said',
  '/exit   end the session (or Ctrl-D)',
  'A line that ends in \\ goes on in the next one. Ctrl-C stops the answer under way.',
].join('\n');

/**
 * An interactive session: lines from the terminal, answers to standard output, everything else to standard error.
 * A failed turn does not end it.
 */
export async function talk({ options, context, agent }: TalkOptions): Promise<ExitCode> {
  const { output } = context;
  const lines = new ChatLines(context);
  const session = await ChatSession.open({
    options,
    context,
    agent,
    ...(context.options.approveTools ? { approve: (text: string) => approve(text, lines, context) } : {}),
    ...(options.stream === false ? {} : { stream: (text: string) => void showReply(output, text) }),
  });
  output.line(`${agent?.name ?? options.model ?? 'chat'}: /help for help, Ctrl-D to end`);
  try {
    for (;;) {
      const said = await lines.read(session.isOpen ? '(Enter goes on) > ' : '> ');
      if (said === undefined || said.trim() === '/exit' || said.trim() === '/quit') return exitCodes.ok;
      if (said.trim() === '/help') output.line(help);
      else if (said.trim() === '/reset') session.reset();
      else if (said.trim() !== '' || session.isOpen)
        await answer(said.trim() === '' ? undefined : said, session, lines, { options, context });
    }
  } finally {
    lines.close();
    if (options.showUsage === true) for (const line of session.usage.text()) output.line(line);
    await session.close();
  }
}

async function answer(
  said: string | undefined,
  session: ChatSession,
  lines: ChatLines,
  { context, options: { stream: streams = true } }: TalkOptions,
): Promise<void> {
  const { output, options } = context;
  const stop = lines.stoppable();
  try {
    const { value, shown } = await session.turn(said, stop);
    const content = textOf(value);
    await showReply(output, shown === content ? '\n' : `${content}\n`);
  } catch (error) {
    context.signal.throwIfAborted();
    if (stop.aborted) {
      output.line('\nstopped');
      return;
    }
    const partial = partialText(error);
    // A streamed one stands on the screen already.
    if (partial !== null && !streams) await showReply(output, `${partial}\n`);
    await reportFailure(error, { output, verbosity: options.verbosity });
  }
}

async function approve(
  text: string,
  lines: ChatLines,
  { output }: CommandContext,
): Promise<'yes' | 'no' | 'always'> {
  output.line(text);
  for (;;) {
    const reply = (await lines.read('allow? [y]es / [n]o / [a]lways: '))?.trim().toLowerCase();
    if (reply === undefined || reply === 'n' || reply === 'no') return 'no';
    if (reply === 'y' || reply === 'yes') return 'yes';
    if (reply === 'a' || reply === 'always') return 'always';
  }
}

/** The lines that are typed, with the editing keys and the history of readline. */
class ChatLines {
  readonly #interface: Interface;
  readonly #signal: AbortSignal;
  /** Typed or pasted while nobody read. */
  readonly #ahead: string[] = [];
  #reader: ((line: string | undefined) => void) | undefined;
  #ended = false;
  #stop: AbortController | undefined;

  constructor({ signal }: CommandContext) {
    this.#signal = signal;
    this.#interface = createInterface({ input: process.stdin, output: process.stderr, terminal: true });
    this.#interface.on('line', (line) => this.#take(line));
    this.#interface.on('close', () => this.#end());
    // The terminal is in raw mode: Ctrl-C is a key and no signal.
    this.#interface.on('SIGINT', () => {
      if (this.#stop === undefined) this.#interface.close();
      else this.#stop.abort(new CancelledError());
    });
    signal.addEventListener('abort', () => this.#interface.close(), { once: true });
  }

  /** The next line, continued lines joined; undefined at the end of input. */
  async read(prompt: string): Promise<string | undefined> {
    const parts: string[] = [];
    for (;;) {
      const line = await this.#line(parts.length === 0 ? prompt : '… ');
      this.#signal.throwIfAborted();
      if (line === undefined) return undefined;
      if (!line.endsWith('\\')) return [...parts, line].join('\n');
      parts.push(line.slice(0, -1));
    }
  }

  /** A signal that Ctrl-C aborts until the next line is read. */
  stoppable(): AbortSignal {
    this.#stop = new AbortController();
    return AbortSignal.any([this.#stop.signal, this.#signal]);
  }

  close(): void {
    this.#interface.close();
  }

  #line(prompt: string): Promise<string | undefined> {
    const waiting = this.#ahead.shift();
    if (waiting !== undefined || this.#ended) return Promise.resolve(waiting);
    this.#interface.setPrompt(prompt);
    this.#interface.prompt();
    return new Promise((resolve) => {
      this.#reader = resolve;
    });
  }

  #take(line: string): void {
    const reader = this.#reader;
    this.#reader = undefined;
    if (reader === undefined) this.#ahead.push(line);
    else reader(line);
  }

  #end(): void {
    this.#ended = true;
    this.#reader?.(undefined);
    this.#reader = undefined;
  }
}
