import { redactionMark, type SecretRegistry } from './secrets.js';
import type { TextRange } from './text-finder.js';

/** So much of a text is kept back while it may be a secret; of what goes on longer nothing more is shown. */
const mostHeld = 16_384;

/**
 * Masks a text that comes in pieces as if it were whole, so that no secret passes in parts: what may be the beginning
 * of one is held back until it is known to be none. Source: field report FR-25.
 */
export class MaskedStream {
  readonly #secrets: SecretRegistry;
  #held = '';
  /** So much of the beginning of `#held` belongs to a secret whose mark was shown. */
  #covered = 0;
  /** Before it is so long it is not looked at again: much that is held back would be searched for every piece. */
  #enough = 0;
  #overflowed = false;

  constructor(secrets: SecretRegistry) {
    this.#secrets = secrets;
  }

  /** Takes the next piece; gives what can be shown by now. */
  add(piece: string): string {
    if (this.#overflowed) return '';
    this.#held += piece;
    if (this.#held.length < this.#enough) return '';
    const { found, settled } = this.#secrets.findInBeginning(this.#held);
    const shown = this.#show(found, settled);
    this.#enough = this.#held.length * 1.25;
    if (this.#held.length <= mostHeld) return shown;
    this.#overflowed = true;
    return shown + redactionMark;
  }

  /** Says that nothing follows; gives what was held back. */
  end(): string {
    return this.#overflowed ? '' : this.#show(this.#secrets.find(this.#held), this.#held.length);
  }

  #show(found: readonly TextRange[], settled: number): string {
    let shown = '';
    let position = this.#covered;
    for (const [start, end] of found) {
      if (start >= settled) break;
      if (start >= position) shown += this.#held.slice(position, start) + redactionMark;
      position = Math.max(position, end);
    }
    shown += this.#held.slice(position, settled);
    this.#held = this.#held.slice(settled);
    this.#covered = Math.max(0, position - settled);
    return shown;
  }
}
