import type { RunEvent } from '../../engine/events.js';

/** Shows the replies of one conversation while they arrive, each on lines of its own. */
export class ReplyStream {
  readonly #write: (text: string) => void;
  #open = false;
  #shown = '';

  constructor(write: (text: string) => void) {
    this.#write = write;
  }

  /** What was shown of the reply that came last. */
  get shown(): string {
    return this.#shown;
  }

  handle(event: RunEvent): void {
    if (event.type === 'model.requested' && !event.address.includes('>')) {
      this.breakLine();
      this.#shown = '';
    }
    // What a subagent says is for the model that asked it.
    if (event.type !== 'model.token' || event.reasoning === true || event.address.includes('>')) return;
    this.#write(event.text);
    this.#shown += event.text;
    this.#open = !event.text.endsWith('\n');
  }

  /** Ends an open line, before something else is shown on the same screen. */
  breakLine(): void {
    if (this.#open) this.#write('\n');
    this.#open = false;
  }
}
