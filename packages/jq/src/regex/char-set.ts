/** Whether a code point belongs to a set. */
export type CodePointTest = (code: number) => boolean;

/** A set of code points: a table for the first 256, a test with a memory for the others. */
export class CharSet {
  private readonly table = new Uint8Array(256);
  private readonly known = new Map<number, boolean>();

  constructor(private readonly test: CodePointTest) {
    for (let code = 0; code < 256; code++) this.table[code] = test(code) ? 1 : 0;
  }

  has(code: number): boolean {
    if (code < 256) return this.table[code] === 1;
    let result = this.known.get(code);
    if (result === undefined) {
      result = this.test(code);
      if (this.known.size < 4096) this.known.set(code, result);
    }
    return result;
  }
}

/** A JavaScript class of one character, such as `\p{Nd}`. */
function classPattern(source: string): RegExp {
  return new RegExp(`^[${source}]$`, 'u');
}

/** A test by a class that JavaScript knows. It is made on first use, as the tables behind it take their time. */
function unicode(source: string): CodePointTest {
  let pattern: RegExp | undefined;
  return (code) => {
    pattern ??= classPattern(source);
    return pattern.test(String.fromCodePoint(code));
  };
}

export const isDigit = unicode('\\p{Nd}');
export const isSpace = unicode('\\p{White_Space}');
export const isWord = unicode('\\p{L}\\p{M}\\p{N}\\p{Pc}');
const isPrint = unicode('\\P{C}');

/** POSIX bracket names, which may also be written `\p{…}`. */
const posix: ReadonlyMap<string, CodePointTest> = new Map([
  ['alnum', unicode('\\p{Alphabetic}\\p{Nd}')],
  ['alpha', unicode('\\p{Alphabetic}')],
  ['ascii', (code: number) => code < 128],
  ['blank', unicode('\\t\\p{Zs}')],
  ['cntrl', unicode('\\p{Cc}')],
  ['digit', isDigit],
  ['graph', (code: number) => isPrint(code) && !isSpace(code)],
  ['lower', unicode('\\p{Lowercase}')],
  ['print', isPrint],
  ['punct', unicode('\\p{P}$+<=>^`|~')],
  ['space', isSpace],
  ['upper', unicode('\\p{Uppercase}')],
  ['word', isWord],
  ['xdigit', (code: number) => /^[0-9a-fA-F]$/.test(String.fromCharCode(code)) && code < 128],
]);

export function posixClass(name: string): CodePointTest | undefined {
  return posix.get(name);
}

const properties = new Map<string, CodePointTest | null>();

/** The property of `\p{name}`: a POSIX name, a general category, a script, or a binary property. */
export function propertyClass(name: string): CodePointTest | null {
  const key = name.replace(/[\s_-]/g, '').toLowerCase();
  let found = properties.get(key);
  if (found === undefined) {
    found = key === 'any' ? () => true : (posix.get(key) ?? findProperty(name));
    properties.set(key, found);
  }
  return found;
}

function findProperty(name: string): CodePointTest | null {
  if (!/^[A-Za-z_ -]+$/.test(name)) return null;
  const words = name.split(/[\s_-]+/).map((word) => word[0]!.toUpperCase() + word.slice(1).toLowerCase());
  const spellings = [name, words.join('_'), name.toUpperCase()];
  for (const spelling of spellings) {
    for (const source of [`\\p{${spelling}}`, `\\p{Script=${spelling}}`]) {
      try {
        classPattern(source);
      } catch {
        // Not a property by this spelling.
        continue;
      }
      return unicode(source);
    }
  }
  return null;
}

/** The other-case forms of a code point, itself excluded. */
export function otherCases(code: number): number[] {
  const character = String.fromCodePoint(code);
  const forms = [character.toLowerCase(), character.toUpperCase()];
  const codes = new Set<number>();
  for (const form of forms) {
    for (const again of [form, form.toLowerCase()]) {
      const point = again.codePointAt(0)!;
      if (String.fromCodePoint(point) === again && point !== code) codes.add(point);
    }
  }
  return [...codes];
}

/** The same test where letter case does not matter. */
export function ignoringCase(test: CodePointTest): CodePointTest {
  return (code) => test(code) || otherCases(code).some(test);
}
