import type { Writable } from 'node:stream';
import { LaitError } from '../errors/lait-error.js';

const firstHalf = /[\uD800-\uDBFF]$/;

/** What commands print to: results to standard output, everything else to standard error. */
export class Output {
  readonly #out: Writable;
  readonly #error: Writable;
  readonly #redact: (text: string) => string;
  #broken = false;
  #used = false;
  /** The first half of a character whose second half is still to come, as replies may arrive cut there. */
  #half = '';

  /** `redact` masks secrets in what goes to standard error; the result itself is never changed. */
  constructor(out: Writable, error: Writable, redact: (text: string) => string, onBroken: () => void) {
    this.#out = out;
    this.#error = error;
    this.#redact = redact;
    // A reader that has seen enough (`| head -1`) is no failure: stop quietly. Source: field report FR-40.
    out.on('error', (error: { code?: string }) => {
      if (this.#broken || error.code !== 'EPIPE') return;
      this.#broken = true;
      onBroken();
    });
    error.on('error', () => {});
  }

  /** Whether standard error is a terminal that may be coloured. */
  get colored(): boolean {
    const { NO_COLOR, TERM } = process.env;
    return (this.#error as { isTTY?: boolean }).isTTY === true && !NO_COLOR && TERM !== 'dumb';
  }

  /** True when the reader of standard output has gone. */
  get broken(): boolean {
    return this.#broken;
  }

  /** True when something was written to standard output. */
  get used(): boolean {
    return this.#used;
  }

  /**
   * Writes to standard output; resolves when the text was handed over. Throws a `LaitError` (code `output_failed`) when
   * it could not be, e.g. because a disk is full.
   */
  write(text: string): Promise<void> {
    this.#used ||= text !== '';
    if (this.#broken) return Promise.resolve();
    const whole = this.#half + text;
    this.#half = firstHalf.exec(whole)?.[0] ?? '';
    return this.#writeNow(whole.slice(0, whole.length - this.#half.length));
  }

  #writeNow(text: string): Promise<void> {
    return new Promise((resolve, reject) => {
      this.#out.write(text, (error: (Error & { code?: string }) | null | undefined) => {
        if (error == null || error.code === 'EPIPE') resolve();
        else reject(outputFailed(error));
      });
    });
  }

  /** One JSON document on standard output. */
  writeJson(value: unknown): Promise<void> {
    return this.write(`${JSON.stringify(value, null, 2)}\n`);
  }

  /** Text for the person at the terminal, as it is. */
  message(text: string): void {
    this.#error.write(this.#redact(text));
  }

  /** A line for the person at the terminal. */
  line(text: string): void {
    this.message(`${text}\n`);
  }

  note(text: string): void {
    this.line(`note: ${text}`);
  }

  warning(text: string): void {
    this.line(`warning: ${text}`);
  }

  /** Waits until both streams have taken what was written. */
  async flush(): Promise<void> {
    const half = this.#half;
    this.#half = '';
    if (half !== '') await this.#writeNow(half);
    await Promise.all([
      this.#broken ? undefined : new Promise<void>((resolve) => this.#out.write('', () => resolve())),
      new Promise<void>((resolve) => this.#error.write('', () => resolve())),
    ]);
  }
}

function outputFailed(cause: Error & { code?: string }): LaitError {
  const reason = cause.code === 'ENOSPC' ? 'no space is left' : cause.message;
  return new LaitError({ code: 'output_failed', message: `cannot write to standard output: ${reason}` });
}
