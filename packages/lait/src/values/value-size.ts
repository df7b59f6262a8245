import { valueTooLarge } from '../errors/explain-overflow.js';
import type { Value } from './value.js';

/** Most lists, objects and what stands in them that one value may consist of: its JSON has 32 MB at least. */
const mostParts = 16_777_216;

/**
 * Counts the parts of one value while something goes through it. A value whose parts are the same ones over and over is
 * small in memory and can be endless when it is written: two references to the value before, forty steps long.
 */
export class PartCount {
  #left = mostParts;

  /** Throws a `LaitError` (code `value_too_large`) when there are too many. */
  add(parts: number): void {
    this.#left -= parts;
    if (this.#left < 0) throw valueTooLarge();
  }
}

/** Throws a `LaitError` (code `value_too_large`) for a value that could not be written: Node's own writer would not end. */
export function requireWritable(value: Value): void {
  if (typeof value === 'object' && value !== null) countParts(value, new PartCount());
}

function countParts(container: object, count: PartCount): void {
  const items = Array.isArray(container) ? container : Object.values(container);
  count.add(items.length + 1);
  for (const item of items) if (typeof item === 'object' && item !== null) countParts(item, count);
}
