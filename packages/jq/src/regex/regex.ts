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
  /** UTF-16 offset of each code point and of the end; null where both are the same. */
  private readonly offsets: Int32Array | null;
  /** The number of code points. */
  readonly length: number;

  constructor(readonly text: string) {
    this.offsets = hasSurrogates(text) ? offsetsOf(text) : null;
    this.length = this.offsets === null ? text.length : this.offsets.length - 1;
  }

  /** The code points. */
  codes(): Int32Array {
    const { text, offsets, length } = this;
    const codes = new Int32Array(length);
    if (offsets === null) for (let index = 0; index < length; index++) codes[index] = text.charCodeAt(index);
    else for (let index = 0; index < length; index++) codes[index] = text.codePointAt(offsets[index]!)!;
    return codes;
  }

  slice(from: number, to: number): string {
    const { offsets, text } = this;
    return offsets === null ? text.slice(from, to) : text.slice(offsets[from], offsets[to]);
  }
}

function offsetsOf(text: string): Int32Array {
  const offsets: number[] = [];
  for (let index = 0; index < text.length; index += text.codePointAt(index)! > 0xffff ? 2 : 1)
    offsets.push(index);
  offsets.push(text.length);
  return Int32Array.from(offsets);
}

function matcherOf(regex: Regex, subject: Subject, context: Context): Matcher {
  context.charge(subject.length >>> 4);
  return new Matcher(regex.program, subject.codes(), regex.options, context);
}

/** Whether there is a match. */
export function hasMatch(regex: Regex, subject: Subject, context: Context): boolean {
  context.step();
  return matcherOf(regex, subject, context).search(0) !== null;
}

/** Hands over the group positions of the first match, or with the global flag of all matches, in order. */
export function eachMatch(
  regex: Regex,
  subject: Subject,
  context: Context,
  take: (found: Int32Array) => void,
): void {
  const matcher = matcherOf(regex, subject, context);
  let from = 0;
  while (from <= subject.length) {
    context.step();
    const found = matcher.search(from);
    if (found === null) return;
    take(found);
    if (!regex.global) return;
    const end = found[1]!;
    from = end === found[0] ? end + 1 : end;
  }
}
