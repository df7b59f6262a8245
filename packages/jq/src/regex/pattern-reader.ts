import { RegexSyntaxError } from './syntax.js';

const maximumDepth = 250;

/** Reads a pattern code point by code point. */
export class PatternReader {
  private readonly characters: readonly string[];
  private at = 0;
  private depth = 0;

  constructor(pattern: string) {
    this.characters = Array.from(pattern);
  }

  fail(problem: string): never {
    throw new RegexSyntaxError(problem);
  }

  peek(offset = 0): string | undefined {
    return this.characters[this.at + offset];
  }

  next(problem: string): string {
    return this.characters[this.at++] ?? this.fail(problem);
  }

  accept(text: string): boolean {
    for (let index = 0; index < text.length; index++) {
      if (this.peek(index) !== text[index]) return false;
    }
    this.at += text.length;
    return true;
  }

  /** Takes characters that match, at most `most` of them. */
  take(characters: RegExp, most = Infinity): string {
    const start = this.at;
    while (this.at - start < most && characters.test(this.peek() ?? '')) this.at++;
    return this.characters.slice(start, this.at).join('');
  }

  /** Takes everything up to and including `close`; undefined when it does not come. */
  until(close: string): string | undefined {
    const end = this.characters.indexOf(close, this.at);
    if (end === -1) return undefined;
    const text = this.characters.slice(this.at, end).join('');
    this.at = end + 1;
    return text;
  }

  /** What is left, for messages. */
  rest(): string {
    return this.characters.slice(this.at).join('');
  }

  /** Takes what `read` reads, or nothing when it gives null. */
  attempt<T>(read: () => T | null): T | null {
    const start = this.at;
    const result = read();
    if (result === null) this.at = start;
    return result;
  }

  /** Counts nesting of groups and classes. */
  nested<T>(parse: () => T): T {
    if (++this.depth > maximumDepth) this.fail('too deep nest level');
    const result = parse();
    this.depth--;
    return result;
  }
}
