/** A half-open span of the source. `start`/`end` are UTF-16 offsets; `line` and `column` count from 1. */
export interface Range {
  readonly start: number;
  readonly end: number;
  readonly line: number;
  readonly column: number;
}

/** Builds ranges of one source text; finds lines by binary search over the line starts. */
export class SourceMap {
  private readonly lineStarts: number[] = [0];

  constructor(source: string) {
    for (let at = source.indexOf('\n'); at !== -1; at = source.indexOf('\n', at + 1)) {
      this.lineStarts.push(at + 1);
    }
  }

  range(start: number, end: number): Range {
    let low = 0;
    let high = this.lineStarts.length - 1;
    while (low < high) {
      const middle = (low + high + 1) >> 1;
      if (this.lineStarts[middle]! <= start) low = middle;
      else high = middle - 1;
    }
    return { start, end, line: low + 1, column: start - this.lineStarts[low]! + 1 };
  }
}
