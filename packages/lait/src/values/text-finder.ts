/** Where a text stands in another: from, and behind its end. */
export type TextRange = readonly [start: number, end: number];

/** The index of the first code unit from `index` on that counts. */
export type Skip = (text: string, index: number) => number;

/** What a look-up is made with: the low bytes of four code units. */
const keyLength = 4;
const tableBits = 16;

/** What is known of a text within another one: it matches from `start` to `end`, and no further. */
type Match = { start: number; end: number };

/**
 * Finds many texts of at least four code units in one pass, however many there are: at each place the last four code
 * units are looked up among the beginnings of the texts. No part of the other text is compared twice with the same one,
 * however often it begins like that.
 */
export class TextFinder {
  readonly #texts: ReadonlyMap<number, readonly SoughtText[]>;
  readonly #skip: Skip | undefined;
  /** A one for each slot that some beginning falls into: almost every place is done with after this look. */
  readonly #slots = new Uint8Array(1 << tableBits);
  /** Beginnings that are too short to be looked up. */
  readonly #stubs = new Set<string>();

  /** What `skip` passes over counts neither in the texts nor where they are looked for. Default: everything counts. */
  constructor(texts: Iterable<string>, skip?: Skip) {
    this.#skip = skip;
    const byBeginning = new Map<number, SoughtText[]>();
    for (const text of new Set([...texts].map((one) => new CountedText(one, skip).text))) {
      if (text.length < keyLength) continue;
      let key = 0;
      for (let index = 0; index < keyLength; index += 1) key = nextKey(key, text.charCodeAt(index));
      const sought = new SoughtText(text);
      const others = byBeginning.get(key);
      if (others === undefined) byBeginning.set(key, [sought]);
      else others.push(sought);
      this.#slots[slotOf(key)] = 1;
      for (let length = 1; length < keyLength; length += 1) this.#stubs.add(text.slice(0, length));
    }
    for (const others of byBeginning.values()) others.sort((a, b) => b.text.length - a.text.length);
    this.#texts = byBeginning;
  }

  /** Every place at which one of the texts begins, in order, with the end of the longest one; ranges may overlap. */
  find(within: string): TextRange[] {
    const counted = new CountedText(within, this.#skip);
    const found: TextRange[] = [];
    const matches = new Map<SoughtText, Match>();
    this.#walk(counted.text, (start, texts) => {
      const whole = texts.find((sought) => {
        return sought.matchedEnd(counted.text, start, matches) === start + sought.text.length;
      });
      if (whole !== undefined)
        found.push([counted.place(start), counted.place(start + whole.text.length - 1) + 1]);
      return false;
    });
    return found;
  }

  /** The first place from which one of the texts may go on behind the end; the end when there is none. */
  unfinished(within: string): number {
    const counted = new CountedText(within, this.#skip);
    const { length } = counted.text;
    const matches = new Map<SoughtText, Match>();
    let first: number | undefined;
    this.#walk(counted.text, (start, texts) => {
      const goesOn = texts.some((sought) => {
        const end = sought.matchedEnd(counted.text, start, matches);
        return end === length && end < start + sought.text.length;
      });
      if (goesOn) first = start;
      return goesOn;
    });
    // What is too short to be looked up.
    for (let start = Math.max(0, length - keyLength + 1); first === undefined && start < length; start += 1)
      if (this.#stubs.has(counted.text.slice(start))) first = start;
    return first === undefined ? within.length : counted.place(first);
  }

  /** Goes over the places at which a text may begin, until `visit` has seen enough. */
  #walk(within: string, visit: (start: number, texts: readonly SoughtText[]) => boolean): void {
    const slots = this.#slots;
    let key = 0;
    for (let index = 0; index < within.length; index += 1) {
      key = nextKey(key, within.charCodeAt(index));
      if (slots[slotOf(key)] === 0 || index < keyLength - 1) continue;
      const texts = this.#texts.get(key);
      if (texts !== undefined && visit(index - keyLength + 1, texts)) return;
    }
  }
}

/** One of the texts that are looked for. */
class SoughtText {
  #repeated: Uint32Array | undefined;

  constructor(readonly text: string) {}

  /**
   * How far the text matches from a place on. `matches` has what was found at places before: where they reach beyond
   * this one, the text is compared with itself, once and for all.
   */
  matchedEnd(within: string, start: number, matches: Map<SoughtText, Match>): number {
    const { text } = this;
    const before = matches.get(this);
    let end = start;
    if (before !== undefined && start < before.end) {
      const same = start + this.#repeatedAt(start - before.start);
      if (same < before.end) return same;
      end = before.end;
    }
    const most = Math.min(within.length, start + text.length);
    while (end < most && within.charCodeAt(end) === text.charCodeAt(end - start)) end += 1;
    matches.set(this, { start, end });
    return end;
  }

  /** How much of the beginning of the text stands in it at an index again (the Z function). */
  #repeatedAt(index: number): number {
    this.#repeated ??= repeatedBeginnings(this.text);
    return this.#repeated[index]!;
  }
}

function repeatedBeginnings(text: string): Uint32Array {
  const lengths = new Uint32Array(text.length);
  let start = 0;
  let end = 0;
  for (let index = 1; index < text.length; index += 1) {
    let length = index < end ? Math.min(end - index, lengths[index - start]!) : 0;
    while (index + length < text.length && text.charCodeAt(length) === text.charCodeAt(index + length))
      length += 1;
    lengths[index] = length;
    if (index + length > end) {
      start = index;
      end = index + length;
    }
  }
  return lengths;
}

/** A text without what is passed over in it. */
class CountedText {
  readonly text: string;
  /** Where the parts that count begin, in `text` and in the original. */
  readonly #starts: number[] = [0];
  readonly #places: number[] = [0];

  constructor(original: string, skip: Skip | undefined) {
    if (skip === undefined) {
      this.text = original;
      return;
    }
    const parts: string[] = [];
    let length = 0;
    let from = 0;
    for (let index = 0; index < original.length; ) {
      const next = skip(original, index);
      if (next > index) {
        parts.push(original.slice(from, index));
        length += index - from;
        this.#starts.push(length);
        this.#places.push(next);
        from = next;
      }
      index = next + 1;
    }
    this.text = parts.length === 0 ? original : parts.join('') + original.slice(from);
  }

  /** Where a code unit of `text` stands in the original. */
  place(index: number): number {
    let low = 0;
    let high = this.#starts.length - 1;
    while (low < high) {
      const middle = (low + high + 1) >> 1;
      if (this.#starts[middle]! <= index) low = middle;
      else high = middle - 1;
    }
    return this.#places[low]! + index - this.#starts[low]!;
  }
}

function nextKey(key: number, code: number): number {
  return (key << 8) | (code & 255);
}

function slotOf(key: number): number {
  return (key ^ (key >>> tableBits)) & ((1 << tableBits) - 1);
}
