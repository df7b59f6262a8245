/** Where a text stands in another: from, and behind its end. */
export type TextRange = readonly [start: number, end: number];

/** The index of the first code unit from `index` on that counts. */
export type Skip = (text: string, index: number) => number;

/** What a look-up is made with: the low bytes of four code units. */
const keyLength = 4;
const tableBits = 16;
const unfinished = 'unfinished';

/**
 * Finds many texts of at least four code units in one pass, however many there are: at each place the last four code
 * units are looked up among the beginnings of the texts.
 */
export class TextFinder {
  readonly #texts: ReadonlyMap<number, readonly string[]>;
  readonly #skip: Skip;
  /** A one for each slot that some beginning falls into: almost every place is done with after this look. */
  readonly #slots = new Uint8Array(1 << tableBits);
  /** Beginnings that are too short to be looked up. */
  readonly #stubs = new Set<string>();

  /** What `skip` passes over counts neither in the texts nor where they are looked for. */
  constructor(texts: Iterable<string>, skip: Skip = (_, index) => index) {
    this.#skip = skip;
    const byBeginning = new Map<number, string[]>();
    for (const text of new Set([...texts].map((one) => counting(one, skip)))) {
      if (text.length < keyLength) continue;
      let key = 0;
      for (let index = 0; index < keyLength; index += 1) key = nextKey(key, text.charCodeAt(index));
      const others = byBeginning.get(key);
      if (others === undefined) byBeginning.set(key, [text]);
      else others.push(text);
      this.#slots[slotOf(key)] = 1;
      for (let length = 1; length < keyLength; length += 1) this.#stubs.add(text.slice(0, length));
    }
    for (const others of byBeginning.values()) others.sort((a, b) => b.length - a.length);
    this.#texts = byBeginning;
  }

  /** Every place at which one of the texts begins, in order, with the end of the longest one; ranges may overlap. */
  find(within: string): TextRange[] {
    const found: TextRange[] = [];
    this.#walk(within, (start, texts) => {
      for (const text of texts) {
        const end = this.#compare(text, within, start);
        if (end === undefined || end === unfinished) continue;
        found.push([start, end]);
        break;
      }
      return false;
    });
    return found;
  }

  /** The first place from which one of the texts may go on behind the end; the end when there is none. */
  unfinished(within: string): number {
    let first: number | undefined;
    const last = this.#walk(within, (start, texts) => {
      if (!texts.some((text) => this.#compare(text, within, start) === unfinished)) return false;
      first = start;
      return true;
    });
    if (first !== undefined) return first;
    for (let from = 0; from < last.length; from += 1) {
      const stub = last.slice(from).map((place) => within[place]);
      if (this.#stubs.has(stub.join(''))) return last[from]!;
    }
    return within.length;
  }

  /**
   * Goes over the places at which a text may begin, until `visit` has seen enough. Gives the last places that count, of
   * which there are too few to look anything up.
   */
  #walk(within: string, visit: (start: number, texts: readonly string[]) => boolean): number[] {
    const slots = this.#slots;
    const skip = this.#skip;
    /** Where the last four code units stand that counted. */
    const places = new Uint32Array(keyLength);
    let count = 0;
    let key = 0;
    for (let index = skip(within, 0); index < within.length; index = skip(within, index + 1)) {
      key = nextKey(key, within.charCodeAt(index));
      places[count % keyLength] = index;
      count += 1;
      if (slots[slotOf(key)] === 0 || count < keyLength) continue;
      const texts = this.#texts.get(key);
      if (texts !== undefined && visit(places[count % keyLength]!, texts)) break;
    }
    const last = Math.min(count, keyLength - 1);
    return Array.from({ length: last }, (_, index) => places[(count - last + index) % keyLength]!);
  }

  /** Where a text ends that begins at the place: undefined when it does not, `unfinished` when only the end is missing. */
  #compare(text: string, within: string, start: number): number | typeof unfinished | undefined {
    let place = start;
    for (let index = 0; index < text.length; index += 1) {
      if (index > 0) place = this.#skip(within, place + 1);
      if (place >= within.length) return unfinished;
      if (within.charCodeAt(place) !== text.charCodeAt(index)) return undefined;
    }
    return place + 1;
  }
}

function counting(text: string, skip: Skip): string {
  let counted = '';
  for (let index = skip(text, 0); index < text.length; index = skip(text, index + 1)) counted += text[index];
  return counted;
}

function nextKey(key: number, code: number): number {
  return (key << 8) | (code & 255);
}

function slotOf(key: number): number {
  return (key ^ (key >>> tableBits)) & ((1 << tableBits) - 1);
}
