import { type CodePointTest, ignoringCase, otherCases } from './char-set.js';
import { GroupReferences } from './group-references.js';
import { parseClass } from './parse-class.js';
import { classEscape, escapedCode } from './parse-escape.js';
import { parseQuantifier } from './parse-quantifier.js';
import { PatternReader } from './pattern-reader.js';
import type { AnchorKind, RegexNode, RegexTree } from './syntax.js';

/** Options that a pattern may also change inside itself. */
export interface RegexOptions {
  readonly ignoreCase: boolean;
  readonly extended: boolean;
  /** `.` matches line ends too. */
  readonly dotAll: boolean;
  /** `^` and `$` match at line ends. */
  readonly multiline: boolean;
}

const optionLetters: Readonly<Record<string, keyof RegexOptions>> = {
  i: 'ignoreCase',
  x: 'extended',
  s: 'dotAll',
  m: 'multiline',
};

const anchorEscapes: Readonly<Record<string, AnchorKind>> = {
  A: 'text-start',
  Z: 'text-end-or-newline',
  z: 'text-end',
  b: 'word-boundary',
  B: 'not-word-boundary',
  G: 'search-start',
};

const anything: CodePointTest = () => true;
const notNewline: CodePointTest = (code) => code !== 10;

/** Parses a pattern in Oniguruma's Perl syntax with named groups. Throws RegexSyntaxError. */
export function parseRegex(pattern: string, options: RegexOptions): RegexTree {
  return new RegexParser(new PatternReader(pattern)).parse(options);
}

class RegexParser {
  private readonly groups: GroupReferences;

  constructor(private readonly reader: PatternReader) {
    this.groups = new GroupReferences(reader);
  }

  parse(options: RegexOptions): RegexTree {
    const root = this.choice(options);
    if (this.reader.peek() !== undefined) this.reader.fail('unmatched close parenthesis');
    this.groups.resolve();
    return { root, groupNames: this.groups.names };
  }

  private choice(start: RegexOptions): RegexNode {
    const options: RegexNode[] = [];
    let current = start;
    do {
      const items: RegexNode[] = [];
      for (;;) {
        const character = this.reader.peek();
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
    } while (this.reader.accept('|'));
    return options.length === 1 ? options[0]! : { type: 'choice', options };
  }

  /** Blanks and comments of the extended form. */
  private skipExtended(): boolean {
    return this.reader.take(/\s/) !== '' || (this.reader.peek() === '#' && this.reader.take(/[^\n]/) !== '');
  }

  /** `(?i)`, `(?x-i)`: holds to the end of the group. Also skips `(?#comment)`. */
  private optionChange(options: RegexOptions): RegexOptions | null {
    if (this.reader.accept('(?#')) {
      if (this.reader.until(')') === undefined) this.reader.fail('end pattern in group');
      return options;
    }
    return this.reader.attempt(() => {
      const changed = this.reader.accept('(?') ? this.readOptions(options) : null;
      return changed !== null && this.reader.accept(')') ? changed : null;
    });
  }

  /** Reads option letters; null where none stand. */
  private readOptions(options: RegexOptions): RegexOptions | null {
    let changed = options;
    let value = true;
    for (const letter of this.reader.take(/[-ixsm]/)) {
      if (letter === '-') value = false;
      else changed = { ...changed, [optionLetters[letter]!]: value };
    }
    const end = this.reader.peek();
    return end === ')' || end === ':' ? changed : null;
  }

  private quantified(atom: RegexNode, options: RegexOptions): RegexNode {
    let node = atom;
    for (;;) {
      if (options.extended && this.skipExtended()) continue;
      const quantifier = parseQuantifier(this.reader);
      if (quantifier === null) return node;
      node = { type: 'repeat', body: node, ...quantifier };
    }
  }

  private atom(options: RegexOptions): RegexNode {
    const character = this.reader.next('end pattern');
    switch (character) {
      case '(':
        return this.reader.nested(() => this.group(options));
      case '[':
        return set(parseClass(this.reader), options);
      case '.':
        return { type: 'set', test: options.dotAll ? anything : notNewline };
      case '^':
        return { type: 'anchor', kind: options.multiline ? 'line-start' : 'text-start' };
      case '$':
        return { type: 'anchor', kind: options.multiline ? 'line-end' : 'text-end-or-newline' };
      case '\\':
        return this.escape(options);
      case '*':
      case '+':
      case '?':
        return this.reader.fail('target of repeat operator is not specified');
      default:
        return literal(character.codePointAt(0)!, options);
    }
  }

  private group(options: RegexOptions): RegexNode {
    const { reader } = this;
    if (!reader.accept('?')) return this.capture(null, options);
    if (reader.accept(':')) return this.closed(options);
    if (reader.accept('>')) return { type: 'atomic', body: this.closed(options) };
    for (const behind of [false, true]) {
      for (const negative of [false, true]) {
        if (!reader.accept(`${behind ? '<' : ''}${negative ? '!' : '='}`)) continue;
        return { type: 'look', behind, negative, body: this.closed(options) };
      }
    }
    if (reader.accept('<')) {
      const name = reader.until('>');
      if (name === undefined || !/^[\p{L}_][\p{L}\p{M}\p{N}\p{Pc}]*$/u.test(name)) {
        const shown = name ?? reader.rest();
        return reader.fail(shown === '' ? 'group name is empty' : `invalid group name <${shown}>`);
      }
      return this.capture(name, options);
    }
    const changed = this.readOptions(options);
    if (changed === null || !reader.accept(':')) {
      return reader.fail(reader.peek() === undefined ? 'end pattern in group' : 'undefined group option');
    }
    return this.closed(changed);
  }

  private capture(name: string | null, options: RegexOptions): RegexNode {
    const index = this.groups.open(name);
    return { type: 'group', index, body: this.closed(options) };
  }

  private closed(options: RegexOptions): RegexNode {
    const body = this.choice(options);
    if (!this.reader.accept(')')) this.reader.fail('end pattern with unmatched parenthesis');
    return body;
  }

  private escape(options: RegexOptions): RegexNode {
    const { reader } = this;
    const character = reader.next('end pattern at escape');
    const test = classEscape(reader, character);
    if (test !== null) return set(test, options);
    if (Object.hasOwn(anchorEscapes, character)) return { type: 'anchor', kind: anchorEscapes[character]! };
    switch (character) {
      case 'K':
        return { type: 'keep' };
      case 'N':
        return { type: 'set', test: notNewline };
      case 'O':
        return { type: 'set', test: anything };
      case 'R':
        return lineBreak;
      case 'Q':
        return this.quoted(options);
      case 'k':
        return this.namedReference(options);
      default:
        return this.numberedReference(character, options) ?? literal(escapedCode(reader, character), options);
    }
  }

  /** `\Q…\E`: everything as it stands. */
  private quoted(options: RegexOptions): RegexNode {
    const items: RegexNode[] = [];
    while (this.reader.peek() !== undefined && !this.reader.accept('\\E')) {
      items.push(literal(this.reader.next('end pattern').codePointAt(0)!, options));
    }
    return { type: 'sequence', items };
  }

  /** `\1`; null where the digits are those of an octal code or of no group. */
  private numberedReference(first: string, options: RegexOptions): RegexNode | null {
    if (!/[1-9]/.test(first)) return null;
    const digits = this.reader.attempt(() => {
      const all = first + this.reader.take(/[0-9]/);
      return Number(all) > this.groups.names.length && Number(all) > 9 ? null : all;
    });
    return digits === null ? null : this.reference(digits, options);
  }

  private namedReference(options: RegexOptions): RegexNode {
    const close = this.reader.accept('<') ? '>' : this.reader.accept("'") ? "'" : null;
    if (close === null) return literal(0x6b, options);
    return this.reference(
      this.reader.until(close) ?? this.reader.fail('invalid backref number/name'),
      options,
    );
  }

  private reference(name: string, { ignoreCase }: RegexOptions): RegexNode {
    return { type: 'reference', groups: this.groups.refer(name), ignoreCase };
  }
}

function set(test: CodePointTest, { ignoreCase }: RegexOptions): RegexNode {
  return { type: 'set', test: ignoreCase ? ignoringCase(test) : test };
}

function literal(code: number, { ignoreCase }: RegexOptions): RegexNode {
  const others = ignoreCase ? otherCases(code) : [];
  if (others.length === 0) return { type: 'character', code };
  return { type: 'set', test: (other) => other === code || others.includes(other) };
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
