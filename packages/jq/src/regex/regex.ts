import type { Context } from '../compile/context.js';
import { raise } from '../values/raise.js';
import { hasSurrogates } from '../values/text.js';
import { Matcher, type MatchOptions } from './matcher.js';
import { parseRegex, type RegexOptions } from './parser.js';
import { compileRegex, type RegexProgram } from './program.js';
import { RegexSyntaxError } from './syntax.js';

/** A compiled pattern with the meaning of jq's flags. */
export interface Regex {
  readonly program: RegexProgram;
  readonly options: MatchOptions;
  readonly global: boolean;
}

const cache = new Map<string, Regex>();
const cacheSize = 256;

/**
 * The compiled form of a pattern, from a cache where possible. Flags: g global, i ignore case, x extended, s single
 * line, n no empty matches, p both s and dot matches line ends, l longest. Raises jq errors.
 */
export function compiledRegex(pattern: string, flags: string): Regex {
  const key = `${flags}/${pattern}`;
  let regex = cache.get(key);
  if (regex === undefined) {
    regex = makeRegex(pattern, flags);
    if (cache.size >= cacheSize) cache.delete(cache.keys().next().value!);
    cache.set(key, regex);
  }
  return regex;
}

function makeRegex(pattern: string, flags: string): Regex {
  if (/[^gixsnpl]/.test(flags)) return raise(`${flags} is not a valid modifier string`);
  const syntax: RegexOptions = {
    ignoreCase: flags.includes('i'),
    extended: flags.includes('x'),
    dotAll: flags.includes('p'),
    multiline: false,
  };
  const options = { longest: flags.includes('l'), notEmpty: flags.includes('n') };
  try {
    return { program: compileRegex(parseRegex(pattern, syntax)), options, global: flags.includes('g') };
  } catch (error) {
    if (error instanceof RegexSyntaxError) return raise(`Regex failure: ${error.message}`);
    throw error;
  }
}

/** A text by code points, and the way back to its parts. */
export class Subject {
  readonly codes: Int32Array;
  /** UTF-16 offset of each code point; null where both are the same. */
  private readonly offsets: Int32Array | null;

  constructor(readonly text: string) {
    if (!hasSurrogates(text)) {
      const codes = new Int32Array(text.length);
      for (let index = 0; index < text.length; index++) codes[index] = text.charCodeAt(index);
      this.codes = codes;
      this.offsets = null;
      return;
    }
    const codes: number[] = [];
    const offsets: number[] = [];
    for (let index = 0; index < text.length; ) {
      const code = text.codePointAt(index)!;
      codes.push(code);
      offsets.push(index);
      index += code > 0xffff ? 2 : 1;
    }
    offsets.push(text.length);
    this.codes = Int32Array.from(codes);
    this.offsets = Int32Array.from(offsets);
  }

  slice(from: number, to: number): string {
    const { offsets, text } = this;
    return offsets === null ? text.slice(from, to) : text.slice(offsets[from], offsets[to]);
  }
}

/** Group positions of the first match, or with the global flag of all matches, in order. */
export function* findMatches(regex: Regex, subject: Subject, context: Context): Generator<Int32Array> {
  const { codes } = subject;
  context.charge(codes.length >>> 4);
  const matcher = new Matcher(regex.program, codes, regex.options, context);
  let from = 0;
  while (from <= codes.length) {
    context.step();
    const found = matcher.search(from);
    if (found === null) return;
    yield found;
    if (!regex.global) return;
    const end = found[1]!;
    from = end === found[0] ? end + 1 : end;
  }
}
