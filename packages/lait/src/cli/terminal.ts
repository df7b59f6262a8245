import type { Readable } from 'node:stream';
import type { Question } from '../engine/question.js';
import { StepError } from '../errors/errors.js';
import { printable } from '../values/printable.js';
import type { Output } from './output.js';

type Input = Readable & { isTTY?: boolean };

export interface TerminalOptions {
  input: Input;
  output: Output;
  /** Called before a question is shown and after it is answered, so that a live view can make room. */
  pause?: () => void;
  resume?: () => void;
  /** False where nobody looks, whatever standard input is. Default true. */
  attended?: boolean;
}

/**
 * The person at the terminal. Questions go to standard error, answers come from standard input when it is a
 * terminal; otherwise nothing is read. Source: steps seed, `ask`; field report FR-38.
 */
export class Terminal {
  readonly #options: TerminalOptions;
  /** What was typed behind the line that a question took. */
  #typedAhead = '';
  #queue: Promise<unknown> = Promise.resolve();

  constructor(options: TerminalOptions) {
    this.#options = options;
  }

  get available(): boolean {
    return this.#options.input.isTTY === true && this.#options.attended !== false;
  }

  /**
   * The answer to a question: what is typed on a terminal, else the question's default. Throws a `StepError`
   * (code `no_terminal`) when there is neither. Questions are asked one after the other.
   */
  answer(question: Question, signal: AbortSignal): Promise<string> {
    if (!this.available) {
      if (question.default !== undefined) return Promise.resolve(question.default);
      throw new StepError({
        code: 'no_terminal',
        message:
          'there is no terminal to ask at and the question has no default; give it a `default:`, or let the run wait with --park',
      });
    }
    return this.#inTurn(async () => {
      this.#options.output.message(questionText(question));
      return this.#read(question.multiline === true, signal);
    });
  }

  /**
   * Asks whether something may be done: `yes`, `no`, or `always` for the rest of the run. Throws a `StepError`
   * (code `no_terminal`) without a terminal. Source: facts §12.
   */
  approve(text: string, signal: AbortSignal): Promise<'yes' | 'no' | 'always'> {
    if (!this.available) {
      throw new StepError({
        code: 'no_terminal',
        message: '--approve-tools needs a terminal to ask at, and standard input is none',
      });
    }
    return this.#inTurn(async () => {
      for (;;) {
        this.#options.output.message(`${text}\nallow? [y]es / [n]o / [a]lways: `);
        const reply = (await this.#read(false, signal)).trim().toLowerCase();
        if (reply === 'y' || reply === 'yes') return 'yes';
        if (reply === 'n' || reply === 'no') return 'no';
        if (reply === 'a' || reply === 'always') return 'always';
        this.#options.output.line("answer with 'y', 'n' or 'a'");
      }
    });
  }

  async #inTurn<T>(ask: () => Promise<T>): Promise<T> {
    const turn = this.#queue.then(async () => {
      this.#options.pause?.();
      try {
        return await ask();
      } finally {
        this.#options.resume?.();
      }
    });
    this.#queue = turn.catch(() => {});
    return turn;
  }

  /** Reads a line without its line break, or everything to the end of input. */
  async #read(toEnd: boolean, signal: AbortSignal): Promise<string> {
    const { input } = this.#options;
    signal.throwIfAborted();
    const decoder = new TextDecoder();
    let text = this.#typedAhead;
    this.#typedAhead = '';
    return new Promise((resolve, reject) => {
      const finish = (settle: () => void) => {
        input.off('data', onData).off('end', onEnd).off('error', onError);
        signal.removeEventListener('abort', onAbort);
        input.pause();
        settle();
      };
      const takeLine = (): boolean => {
        const end = text.indexOf('\n');
        if (toEnd || end < 0) return false;
        this.#typedAhead = text.slice(end + 1);
        finish(() => resolve(text.slice(0, end).replace(/\r$/, '')));
        return true;
      };
      const onData = (chunk: Buffer) => {
        text += decoder.decode(chunk, { stream: true });
        takeLine();
      };
      const onEnd = () =>
        finish(() => {
          if (toEnd || text !== '') resolve(text);
          else
            reject(
              new StepError({ code: 'no_answer', message: 'the input ended before an answer was given' }),
            );
        });
      const onError = (error: Error) => finish(() => reject(error));
      const onAbort = () => finish(() => reject(signal.reason));
      if (takeLine()) return;
      if (input.readableEnded) {
        onEnd();
        return;
      }
      input.on('data', onData).on('end', onEnd).on('error', onError);
      signal.addEventListener('abort', onAbort, { once: true });
      input.resume();
    });
  }
}

function questionText(question: Question): string {
  const choices = question.choices === undefined ? '' : ` [${question.choices.join(' / ')}]`;
  const how = question.multiline === true ? ' (end with Ctrl-D)' : '';
  return `${printable(question.text)}${printable(choices)}${how}\n> `;
}
