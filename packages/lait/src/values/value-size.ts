import { explainOverflow, valueTooLarge } from '../errors/explain-overflow.js';
import type { Value } from './value.js';

/** Most characters that the texts of one value may have together; what is no text counts as some, too. */
const mostCharacters = 268_435_456;

/** What a list, an object and each of what stands in them counts as: a value may consist of 16,777,216 of them. */
const charactersOfPart = 16;

/**
 * Counts the parts of one value while something goes through it. A value whose parts are the same ones over and over is
 * small in memory and can be endless when it is written: two references to the value before, forty steps long, or a long
 * text a hundred thousand times. Node does not give up writing those before its memory has, and ends the process.
 */
export class PartCount {
  #left = mostCharacters;

  /** Throws a `LaitError` (code `value_too_large`) when there are too many. */
  add(parts: number): void {
    this.addText(parts * charactersOfPart);
  }

  /** Counts a text by its length in UTF-16 code units. Throws as `add` does. */
  addText(length: number): void {
    this.#left -= length;
    if (this.#left < 0) throw valueTooLarge();
  }
}

/**
 * Throws a `LaitError` (code `value_too_large` or `value_too_deep`) for a value that could not be written: Node's own
 * writer would not end.
 */
export function requireWritable(value: Value): void {
  if (typeof value !== 'object' || value === null) return;
  try {
    countParts(value, new PartCount());
  } catch (error) {
    throw explainOverflow(error);
  }
}

function countParts(container: object, count: PartCount): void {
  if (!Array.isArray(container)) for (const key of Object.keys(container)) count.addText(key.length);
  const items = Array.isArray(container) ? container : Object.values(container);
  count.add(items.length + 1);
  for (const item of items) {
    if (typeof item === 'string') count.addText(item.length);
    else if (typeof item === 'object' && item !== null) countParts(item, count);
  }
}
