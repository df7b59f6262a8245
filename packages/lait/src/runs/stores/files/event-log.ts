import type { JsonValue } from '../../../values/value.js';
import type { NewRunEvent, RunLogEvent } from '../../run-record.js';
import { placedEvents } from '../placed-events.js';
import { damaged, JsonLines, type JsonLinesOptions } from './json-lines.js';

/** The log of one run in a file, and what its snapshot still holds of it. */
export class EventLog {
  readonly #lines: JsonLines;
  readonly #events: RunLogEvent[] = [];
  readonly #keys = new Set<string>();
  /** Events that are in the file. */
  #written = 0;

  constructor(private readonly options: JsonLinesOptions) {
    this.#lines = new JsonLines(options);
  }

  /** Reads what others have added; `pending` are the events that the snapshot holds. */
  async refresh(pending: readonly RunLogEvent[]): Promise<readonly RunLogEvent[]> {
    const added = (await this.#lines.refresh()) ?? [];
    const from = this.#written;
    this.#written += added.length;
    // What was only in the snapshot before is in the file now.
    for (const [index, line] of added.entries())
      if (from + index >= this.#events.length) this.#remember(line as unknown as RunLogEvent);
    for (const event of pending) if (event.seq > this.#events.length) this.#remember(event);
    return this.#events;
  }

  /** The events as they would stand in the log; those whose key is there already are left out. */
  place(runId: string, events: readonly NewRunEvent[]): RunLogEvent[] {
    return placedEvents({ runId, lastSeq: this.#events.length, keys: this.#keys }, events);
  }

  /** Writes placed events, and before them what only the snapshot holds. */
  async append(placed: readonly RunLogEvent[]): Promise<void> {
    const missing = [...this.#events.slice(this.#written), ...placed];
    if (missing.length === 0) return;
    await this.#lines.append(missing as unknown as JsonValue[]);
    this.#written += missing.length;
    for (const event of placed) this.#remember(event);
  }

  close(): Promise<void> {
    return this.#lines.close();
  }

  #remember(event: RunLogEvent): void {
    if (event.seq !== this.#events.length + 1)
      throw damaged(this.options.path, `event ${this.#events.length + 1} is missing`);
    this.#events.push(event);
    if (event.key !== undefined) this.#keys.add(event.key);
  }
}
