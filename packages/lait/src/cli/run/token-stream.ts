import type { RunEvent } from '../../engine/events.js';

export interface TokenStreamOptions {
  /** The step whose reply is the result; its pieces go to `result`. Absent: none does. */
  resultStep?: string;
  result: (text: string) => void;
  /** Where all other replies go. */
  aside: (text: string) => void;
}

/**
 * Shows replies while they arrive. Of several at the same time one is shown, and the others wait their turn, so that no
 * two are mixed.
 */
export class TokenStream {
  readonly #options: TokenStreamOptions;
  /** What has arrived of each reply that is not yet shown, in the order in which they began. */
  readonly #waiting = new Map<string, string>();
  readonly #ended = new Set<string>();
  #current: string | undefined;
  #result = '';
  #asideOpen = false;

  constructor(options: TokenStreamOptions) {
    this.#options = options;
  }

  /** What has gone to the result so far. */
  get result(): string {
    return this.#result;
  }

  handle(event: RunEvent): void {
    if (event.type === 'model.token') {
      if (event.reasoning !== true) this.#add(event.address, event.text);
    } else if (event.type === 'model.responded' || event.type === 'model.failed') this.#end(event.address);
  }

  /** Ends an open line beside the result, before something else is printed there. */
  breakLine(): void {
    if (this.#asideOpen) this.#options.aside('\n');
    this.#asideOpen = false;
  }

  #add(address: string, text: string): void {
    if (address === this.#options.resultStep) {
      this.#result += text;
      this.#options.result(text);
      return;
    }
    this.#current ??= address;
    if (this.#current === address) this.#show(text);
    else this.#waiting.set(address, (this.#waiting.get(address) ?? '') + text);
  }

  #end(address: string): void {
    if (this.#waiting.has(address)) this.#ended.add(address);
    if (this.#current !== address) return;
    this.breakLine();
    this.#current = undefined;
    for (const [next, text] of this.#waiting) {
      this.#waiting.delete(next);
      this.#show(text);
      if (!this.#ended.delete(next)) {
        this.#current = next;
        return;
      }
      this.breakLine();
    }
  }

  #show(text: string): void {
    if (text === '') return;
    this.#options.aside(text);
    this.#asideOpen = !text.endsWith('\n');
  }
}
