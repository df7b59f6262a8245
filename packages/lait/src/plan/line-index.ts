import type { SourcePosition } from './source.js';

/** Turns character offsets into lines and columns. Columns count Unicode characters, so an emoji is one column. */
export class LineIndex {
  readonly #text: string;
  readonly #starts: number[] = [0];
  /** The last answer: problems come in order, and a long line must not be counted again for each. */
  #last = { line: 0, offset: 0, column: 1 };

  constructor(text: string) {
    this.#text = text;
    for (let at = text.indexOf('\n'); at !== -1; at = text.indexOf('\n', at + 1)) this.#starts.push(at + 1);
  }

  /** The position of the range `start` to `end` (exclusive); offsets outside the text are moved to its ends. */
  position(file: string, start: number, end: number): SourcePosition {
    const from = Math.max(0, Math.min(start, this.#text.length));
    const line = this.#lineOf(from);
    return {
      file,
      line: line + 1,
      column: this.#columnOf(line, from),
      start: from,
      end: Math.max(from, end),
    };
  }

  #lineOf(offset: number): number {
    let low = 0;
    let high = this.#starts.length - 1;
    while (low < high) {
      const middle = (low + high + 1) >> 1;
      if (this.#starts[middle]! <= offset) low = middle;
      else high = middle - 1;
    }
    return low;
  }

  #columnOf(line: number, offset: number): number {
    const known =
      this.#last.line === line && this.#last.offset <= offset && this.#last.offset >= this.#starts[line]!;
    let at = known ? this.#last.offset : this.#starts[line]!;
    let column = known ? this.#last.column : 1;
    while (at < offset) {
      at += (this.#text.codePointAt(at) ?? 0) > 0xffff ? 2 : 1;
      column += 1;
    }
    this.#last = { line, offset: at, column };
    return column;
  }
}
