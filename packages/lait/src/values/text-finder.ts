/** Where a text stands in another: from, and behind its end. */
export type TextRange = readonly [start: number, end: number];

/** The index of the first code unit from `index` on that counts. */
export type Skip = (text: string, index: number) => number;

/** What a look-up is made with: the low bytes of four code units. */
const keyLength = 4;
const tableBits = 16;

/**
 * Finds many texts of at least four code units in one pass, however many there are: at each place the last four code
 * units are looked up among the beginnings of the texts.
 */
export class TextFinder {
  readonly #texts: ReadonlyMap<number, readonly string[]>;
  readonly #skip: Skip;
  /** A one for each slot that some beginning falls into: almost every place is done with after this look. */
  readonly #slots = new Uint8Array(1 << tableBits);

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
    }
    for (const others of byBeginning.values()) others.sort((a, b) => b.length - a.length);
    this.#texts = byBeginning;
  }

  /** Every place at which one of the texts begins, in order, with the end of the longest one; ranges may overlap. */
  find(within: string): TextRange[] {
    const slots = this.#slots;
    const skip = this.#skip;
    const found: TextRange[] = [];
    /** Where the last four code units stand that counted. */
    const places = new Uint32Array(keyLength);
    let count = 0;
    let key = 0;
    for (let index = skip(within, 0); index < within.length; index = skip(within, index + 1)) {
      key = nextKey(key, within.charCodeAt(index));
      places[count % keyLength] = index;
      count += 1;
      if (slots[slotOf(key)] === 0 || count < keyLength) continue;
      const start = places[count % keyLength]!;
      for (const text of this.#texts.get(key) ?? []) {
        const end = this.#endOf(text, within, start);
        if (end === undefined) continue;
        found.push([start, end]);
        break;
      }
    }
    return found;
  }

  #endOf(text: string, within: string, start: number): number | undefined {
    let place = start;
    for (let index = 0; index < text.length; index += 1) {
      if (index > 0) place = this.#skip(within, place + 1);
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
