import {
  type CodePointTest,
  ignoringCase,
  isDigit,
  isSpace,
  isWord,
  otherCases,
  propertyClass,
} from './char-set.js';
import { parseClass } from './parse-class.js';
import { type RegexNode, RegexSyntaxError, type RegexTree } from './syntax.js';

/** Options that a pattern may also change inside itself. */
export interface RegexOptions {
  readonly ignoreCase: boolean;
  readonly extended: boolean;
  /** `.` matches line ends too. */
  readonly dotAll: boolean;
  /** `^` and `$` match at line ends. */
  readonly multiline: boolean;
}

const maximumDepth = 250;
const maximumRepeat = 100_000;
const newline = 10;

/** Parses a pattern in Oniguruma's Perl syntax with named groups. Throws RegexSyntaxError. */
export function parseRegex(pattern: string, options: RegexOptions): RegexTree {
  return new RegexParser(pattern).parse(options);
}

/** Reads a pattern code point by code point; classes are read by `parseClass`. */
export class RegexParser {
  private readonly characters: readonly string[];
  private readonly groupNames: (string | null)[] = [];
  private readonly references: { readonly name: string; readonly groups: number[] }[] = [];
  private at = 0;
  private depth = 0;

  constructor(pattern: string) {
    this.characters = Array.from(pattern);
  }

  parse(options: RegexOptions): RegexTree {
    const root = this.choice(options);
    if (this.at < this.characters.length) this.fail('unmatched close parenthesis');
    for (const reference of this.references) this.resolveReference(reference);
    return { root, groupNames: this.groupNames };
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

  /** Takes everything up to and including `close`; undefined when it does not come. */
  until(close: string): string | undefined {
    const end = this.characters.indexOf(close, this.at);
    if (end === -1) return undefined;
    const text = this.characters.slice(this.at, end).join('');
    this.at = end + 1;
    return text;
  }

  /** Counts nesting of groups and classes. */
  nested<T>(parse: () => T): T {
    if (++this.depth > maximumDepth) this.fail('too deep nest level');
    const result = parse();
    this.depth--;
    return result;
  }

  private choice(start: RegexOptions): RegexNode {
    const options: RegexNode[] = [];
    let current = start;
    do {
      const items: RegexNode[] = [];
      for (;;) {
        const character = this.peek();
        if (character === undefined || character === '|' || character === ')') break;
        if (current.extended && this.skipExtended()) continue;
        const changed = this.optionChange(current);
        if (changed !== null) {
          current = changed;
          continue;
        }
        items.push(this.quantified(this.atom(current), current));
      }
      options.push(items.length === 1 ? items[0]! : { type: 'sequence', items });
    } while (this.accept('|'));
    return options.length === 1 ? options[0]! : { type: 'choice', options };
  }

  /** Blanks and comments of the extended form. */
  private skipExtended(): boolean {
    const character = this.peek()!;
    if (character === '#') {
      while (this.peek() !== undefined && this.peek() !== '\n') this.at++;
      return true;
    }
    if (!/\s/.test(character)) return false;
    this.at++;
    return true;
  }

  /** `(?i)`, `(?x-i)`: holds to the end of the group. Also skips `(?#comment)`. */
  private optionChange(options: RegexOptions): RegexOptions | null {
    if (this.peek() !== '(' || this.peek(1) !== '?') return null;
    if (this.peek(2) === '#') {
      if (this.until(')') === undefined) this.fail('end pattern in group');
      return options;
    }
    const start = this.at;
    this.at += 2;
    const changed = this.readOptions(options);
    if (changed !== null && this.accept(')')) return changed;
    this.at = start;
    return null;
  }

  /** Reads option letters; null where none stand. */
  private readOptions(options: RegexOptions): RegexOptions | null {
    let changed = options;
    let value = true;
    for (;;) {
      const letter = this.peek();
      if (letter === '-') value = false;
      else if (letter === 'i') changed = { ...changed, ignoreCase: value };
      else if (letter === 'x') changed = { ...changed, extended: value };
      else if (letter === 's') changed = { ...changed, dotAll: value };
      else if (letter === 'm') changed = { ...changed, multiline: value };
      else return letter === ')' || letter === ':' ? changed : null;
      this.at++;
    }
  }

  private quantified(atom: RegexNode, options: RegexOptions): RegexNode {
    let node = atom;
    for (;;) {
      if (options.extended && /[\s#]/.test(this.peek() ?? '') && this.skipExtended()) continue;
      const bounds = this.quantifier();
      if (bounds === null) return node;
      const [minimum, maximum] = bounds;
      const mode = this.accept('?') ? 'lazy' : this.accept('+') ? 'possessive' : 'greedy';
      node = { type: 'repeat', body: node, minimum, maximum, mode };
    }
  }

  private quantifier(): [minimum: number, maximum: number] | null {
    if (this.accept('*')) return [0, Infinity];
    if (this.accept('+')) return [1, Infinity];
    if (this.accept('?')) return [0, 1];
    if (this.peek() !== '{') return null;
    const end = this.characters.indexOf('}', this.at);
    const inside = end === -1 ? '' : this.characters.slice(this.at + 1, end).join('');
    const found = /^([0-9]+)(,?)([0-9]*)$/.exec(inside);
    if (found === null || (found[2] === '' && found[3] !== '')) return null;
    this.at = end + 1;
    const minimum = Number(found[1]);
    const maximum = found[2] === '' ? minimum : found[3] === '' ? Infinity : Number(found[3]);
    if (minimum > maximumRepeat || (maximum > maximumRepeat && maximum !== Infinity)) {
      this.fail('too big number {n,m} repeat range');
    }
    if (maximum < minimum) this.fail('upper is smaller than lower in repeat range');
    return [minimum, maximum];
  }

  private atom(options: RegexOptions): RegexNode {
    const character = this.next('end pattern');
    switch (character) {
      case '(':
        return this.nested(() => this.group(options));
      case '[': {
        const test = parseClass(this);
        return { type: 'set', test: options.ignoreCase ? ignoringCase(test) : test };
      }
      case '.':
        return { type: 'set', test: options.dotAll ? () => true : (code) => code !== newline };
      case '^':
        return { type: 'anchor', kind: options.multiline ? 'line-start' : 'text-start' };
      case '$':
        return { type: 'anchor', kind: options.multiline ? 'line-end' : 'text-end-or-newline' };
      case '\\':
        return this.escape(options);
      case '*':
      case '+':
      case '?':
        return this.fail('target of repeat operator is not specified');
      default:
        return this.character(character.codePointAt(0)!, options);
    }
  }

  private character(code: number, { ignoreCase }: RegexOptions): RegexNode {
    const others = ignoreCase ? otherCases(code) : [];
    if (others.length === 0) return { type: 'character', code };
    return { type: 'set', test: (other) => other === code || others.includes(other) };
  }

  private group(options: RegexOptions): RegexNode {
    if (!this.accept('?')) return this.capture(null, options);
    if (this.accept(':')) return this.closed(options);
    if (this.accept('>')) return { type: 'atomic', body: this.closed(options) };
    for (const behind of [false, true]) {
      const prefix = behind ? '<' : '';
      if (this.accept(`${prefix}=`))
        return { type: 'look', behind, negative: false, body: this.closed(options) };
      if (this.accept(`${prefix}!`))
        return { type: 'look', behind, negative: true, body: this.closed(options) };
    }
    if (this.accept('<')) {
      const start = this.at;
      const name = this.until('>');
      const shown = name ?? this.characters.slice(start).join('');
      if (name === undefined || !/^[\p{L}_][\p{L}\p{M}\p{N}\p{Pc}]*$/u.test(name)) {
        this.fail(shown === '' ? 'group name is empty' : `invalid group name <${shown}>`);
      }
      return this.capture(name, options);
    }
    const changed = this.readOptions(options);
    if (changed === null || !this.accept(':')) {
      return this.fail(this.peek() === undefined ? 'end pattern in group' : 'undefined group option');
    }
    return this.closed(changed);
  }

  private capture(name: string | null, options: RegexOptions): RegexNode {
    const index = this.groupNames.push(name);
    return { type: 'group', index, body: this.closed(options) };
  }

  private closed(options: RegexOptions): RegexNode {
    const body = this.choice(options);
    if (!this.accept(')')) this.fail('end pattern with unmatched parenthesis');
    return body;
  }

  private escape(options: RegexOptions): RegexNode {
    const character = this.next('end pattern at escape');
    const test = this.classEscape(character);
    if (test !== null) return { type: 'set', test: options.ignoreCase ? ignoringCase(test) : test };
    switch (character) {
      case 'A':
        return { type: 'anchor', kind: 'text-start' };
      case 'Z':
        return { type: 'anchor', kind: 'text-end-or-newline' };
      case 'z':
        return { type: 'anchor', kind: 'text-end' };
      case 'b':
        return { type: 'anchor', kind: 'word-boundary' };
      case 'B':
        return { type: 'anchor', kind: 'not-word-boundary' };
      case 'G':
        return { type: 'anchor', kind: 'search-start' };
      case 'K':
        return { type: 'keep' };
      case 'N':
        return { type: 'set', test: (code) => code !== newline };
      case 'O':
        return { type: 'set', test: () => true };
      case 'R':
        return lineBreak;
      case 'Q':
        return this.quoted(options);
      case 'k':
        return this.namedReference(options);
      default:
        break;
    }
    if (/[1-9]/.test(character)) {
      const reference = this.numberedReference(character, options);
      if (reference !== null) return reference;
    }
    return this.character(this.escapedCode(character), options);
  }

  /** `\Q…\E`: everything as it stands. */
  private quoted(options: RegexOptions): RegexNode {
    const items: RegexNode[] = [];
    while (this.peek() !== undefined && !this.accept('\\E')) {
      items.push(this.character(this.next('end pattern').codePointAt(0)!, options));
    }
    return { type: 'sequence', items };
  }

  private numberedReference(first: string, options: RegexOptions): RegexNode | null {
    let digits = first;
    while (/[0-9]/.test(this.peek(digits.length - 1) ?? '')) digits += this.peek(digits.length - 1);
    const index = Number(digits);
    if (index > this.groupNames.length && index > 9) return null;
    this.at += digits.length - 1;
    const groups = [index];
    this.references.push({ name: digits, groups });
    return { type: 'reference', groups, ignoreCase: options.ignoreCase };
  }

  private namedReference(options: RegexOptions): RegexNode {
    const close = this.accept('<') ? '>' : this.accept("'") ? "'" : null;
    if (close === null) return this.character(0x6b, options);
    const name = this.until(close) ?? this.fail('invalid backref number/name');
    const groups: number[] = [];
    if (/^-[0-9]+$/.test(name)) groups.push(this.groupNames.length + 1 + Number(name));
    this.references.push({ name, groups });
    return { type: 'reference', groups, ignoreCase: options.ignoreCase };
  }

  /** Names may be defined after they are used, so references are completed at the end. */
  private resolveReference({ name, groups }: { name: string; groups: number[] }): void {
    if (/^[0-9]+$/.test(name) && groups.length === 0) groups.push(Number(name));
    if (groups.length === 0) {
      this.groupNames.forEach((groupName, index) => {
        if (groupName === name) groups.unshift(index + 1);
      });
      if (groups.length === 0) this.fail(`undefined name <${name}> reference`);
    }
    if (groups.some((group) => group < 1 || group > this.groupNames.length)) {
      this.fail('invalid backref number/name');
    }
  }

  /** `\d`, `\W`, `\p{…}` and their like; null for other escapes. */
  classEscape(character: string): CodePointTest | null {
    switch (character) {
      case 'd':
        return isDigit;
      case 'D':
        return (code) => !isDigit(code);
      case 's':
        return isSpace;
      case 'S':
        return (code) => !isSpace(code);
      case 'w':
        return isWord;
      case 'W':
        return (code) => !isWord(code);
      case 'p':
      case 'P': {
        if (!this.accept('{')) return null;
        const inverted = this.accept('^') !== (character === 'P');
        const name = this.until('}') ?? this.fail('invalid character property name {}');
        const test = propertyClass(name);
        if (test === null) return this.fail(`invalid character property name {${name}}`);
        return inverted ? (code) => !test(code) : test;
      }
      default:
        return null;
    }
  }

  /** The code point of an escape that stands for one character. */
  escapedCode(character: string): number {
    const simple: Record<string, number> = { t: 9, n: 10, r: 13, f: 12, v: 11, a: 7, e: 27 };
    if (Object.hasOwn(simple, character)) return simple[character]!;
    if (character === 'x') return this.hexCode();
    if (/[0-7]/.test(character)) {
      let digits = character;
      while (digits.length < 3 && /[0-7]/.test(this.peek() ?? '')) digits += this.next('');
      return Number.parseInt(digits, 8);
    }
    return character.codePointAt(0)!;
  }

  private hexCode(): number {
    if (this.accept('{')) {
      const digits = this.until('}') ?? '';
      const code = /^[0-9a-fA-F]{1,8}$/.test(digits) ? Number.parseInt(digits, 16) : Number.NaN;
      if (!(code <= 0x10ffff)) this.fail('invalid code point value');
      return code;
    }
    const bytes = [this.hexByte() ?? 0];
    // Bytes of one UTF-8 character may be written one by one.
    const length = bytes[0]! >= 0xf0 ? 4 : bytes[0]! >= 0xe0 ? 3 : bytes[0]! >= 0xc0 ? 2 : 1;
    while (bytes.length < length && this.accept('\\x')) bytes.push(this.hexByte() ?? 0);
    if (length === 1) return bytes[0]!;
    return Buffer.from(bytes).toString('utf8').codePointAt(0)!;
  }

  private hexByte(): number | null {
    let digits = '';
    while (digits.length < 2 && /[0-9a-fA-F]/.test(this.peek() ?? '')) digits += this.next('');
    return digits === '' ? null : Number.parseInt(digits, 16);
  }
}

/** `\R`: one line break of any kind, taken as a whole. */
const lineBreak: RegexNode = {
  type: 'atomic',
  body: {
    type: 'choice',
    options: [
      {
        type: 'sequence',
        items: [
          { type: 'character', code: 13 },
          { type: 'character', code: 10 },
        ],
      },
      {
        type: 'set',
        test: (code) => (code >= 10 && code <= 13) || code === 0x85 || code === 0x2028 || code === 0x2029,
      },
    ],
  },
};
