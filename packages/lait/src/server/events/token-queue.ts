import type { ModelTokenEvent } from '../../engine/events.js';
import type { NodePlace } from '../../runs/node-places.js';

/** A piece of a reply, its secrets masked, and the node of the run that it belongs to. */
export interface RunToken {
  token: ModelTokenEvent;
  place: NodePlace | undefined;
}

/** Characters that are kept for a slow client. */
const mostCharacters = 1_048_576;
/** Characters that are counted for what a piece holds beside its text. */
const besideText = 100;

/**
 * Tokens of a run for one client. Whoever writes never waits: what does not fit for a client that takes nothing is left
 * out, and how much that was can be told.
 */
export class TokenQueue {
  #waiting: RunToken[] = [];
  #characters = 0;
  #skipped = 0;
  #arrived: (() => void) | undefined;
  #isNew = false;

  /** `onClose` is called by `close`. */
  constructor(private readonly onClose: () => void) {}

  push(added: RunToken): void {
    const { length } = added.token.text;
    const isFull = this.#waiting.length > 0 && this.#characters + length > mostCharacters;
    if (isFull || this.#skipped > 0) this.#skipped += length;
    else {
      this.#waiting.push(added);
      this.#characters += length + besideText;
    }
    this.#isNew = true;
    this.#arrived?.();
  }

  /** Resolves when there is something new. */
  arrival(): Promise<undefined> {
    return new Promise((resolve) => {
      this.#arrived = () => {
        this.#arrived = undefined;
        this.#isNew = false;
        resolve(undefined);
      };
      if (this.#isNew) this.#arrived();
    });
  }

  /**
   * What waits, in order, and how many characters of what came behind it were left out. `isWanted`: the other tokens
   * go on waiting.
   */
  take(isWanted: (token: ModelTokenEvent) => boolean = () => true): { tokens: RunToken[]; skipped: number } {
    const tokens = this.#waiting.filter(({ token }) => isWanted(token));
    this.#waiting =
      tokens.length === 0 ? this.#waiting : this.#waiting.filter(({ token }) => !isWanted(token));
    this.#characters = this.#waiting.reduce((sum, { token }) => sum + token.text.length + besideText, 0);
    const skipped = this.#skipped;
    this.#skipped = 0;
    return { tokens, skipped };
  }

  close(): void {
    this.onClose();
  }
}
