/** Cuts a stream of bytes into lines, without the line breaks. Bytes that are no UTF-8 are replaced. */
export class LineReader {
  readonly #maxBytes: number;
  readonly #onLine: (line: string) => void;
  readonly #tooLong: 'fail' | 'cut';
  #parts: Buffer[] = [];
  #size = 0;

  /**
   * @param maxBytes longest line that is kept
   * @param tooLong what happens to a longer one: `add` throws, or it is handed over in pieces
   */
  constructor(maxBytes: number, onLine: (line: string) => void, tooLong: 'fail' | 'cut' = 'fail') {
    this.#maxBytes = maxBytes;
    this.#onLine = onLine;
    this.#tooLong = tooLong;
  }

  add(chunk: Buffer): void {
    let start = 0;
    for (let end = chunk.indexOf(10); end !== -1; end = chunk.indexOf(10, start)) {
      this.#keep(chunk.subarray(start, end));
      this.#flush();
      start = end + 1;
    }
    this.#keep(chunk.subarray(start));
  }

  #keep(part: Buffer): void {
    if (part.length === 0) return;
    if (this.#size + part.length > this.#maxBytes) {
      if (this.#tooLong === 'fail') {
        this.#parts = [];
        throw new Error(`the server sent a line of more than ${this.#maxBytes} bytes`);
      }
      if (this.#size > 0) this.#flush();
      part = part.subarray(0, this.#maxBytes);
    }
    this.#parts.push(part);
    this.#size += part.length;
  }

  #flush(): void {
    const line = Buffer.concat(this.#parts).toString('utf8');
    this.#parts = [];
    this.#size = 0;
    this.#onLine(line.endsWith('\r') ? line.slice(0, -1) : line);
  }
}
