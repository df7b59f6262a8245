import { preview, printable } from '../../values/printable.js';
import type { JsonObject } from '../../values/value.js';
import { eventRow, type ShownEvent } from './event-row.js';

/**
 * Shows a log while it grows: a line for each entry, and replies as they are written, each under the name of its step.
 * With `json` every entry is a JSON document on one line.
 */
export class FollowedLog {
  /** The step whose reply is being written; undefined at the start of a line. */
  #writing: string | undefined;

  constructor(
    private readonly write: (text: string) => Promise<void> | void,
    private readonly json: boolean,
  ) {}

  async add(event: JsonObject): Promise<void> {
    if (this.json) return this.write(`${JSON.stringify(event)}\n`);
    if (event.type === 'model.token') return this.#token(event);
    await this.write(`${this.#lineBreak()}${lineOf(event)}\n`);
  }

  /** Ends the line of a reply that did not end. */
  async end(): Promise<void> {
    await this.write(this.#lineBreak());
  }

  #token({ address, label, text }: JsonObject): Promise<void> | void {
    const step = `${String(address)} ${String(label)}`;
    const start = this.#writing === step ? '' : `${this.#lineBreak()}${preview(String(label))}: `;
    this.#writing = step;
    return this.write(start + printable(String(text)));
  }

  #lineBreak(): string {
    const open = this.#writing !== undefined;
    this.#writing = undefined;
    return open ? '\n' : '';
  }
}

function lineOf(event: JsonObject): string {
  if (event.type === 'model.tokens_skipped') return `… ${String(event.characters)} characters are not shown`;
  return eventRow(event as unknown as ShownEvent)
    .filter(Boolean)
    .join('  ');
}
