import { foldCase, minimumPartLength, minimumSecretLength, secretForms } from './secret-forms.js';
import { TextFinder, type TextRange } from './text-finder.js';
import { isObject, type JsonValue, setOwnProperty } from './value.js';
import { requireWritable } from './value-size.js';

/** What stands where a secret was. */
export const redactionMark = '[REDACTED]';

/**
 * The secret values that a process knows, and the one place that hides them: logs, events, records, recordings and
 * errors all go through `mask`. It finds a secret in the forms that templates, jq and protocols give it (see
 * `secretForms`), in any case, escaped however often, long ones with spaces and line breaks inside. Source: FR-25,
 * FR-26.
 */
export class SecretRegistry {
  readonly #known = new Set<string>();
  readonly #forms = new Set<string>();
  /** Made when they are first needed, since secrets often become known many at once. */
  #finders: readonly TextFinder[] | undefined;

  /** Remembers a secret. Values of fewer than four characters are ignored. */
  add(value: string | undefined): void {
    if (value === undefined || value.trim().length < minimumSecretLength || this.#known.has(value)) return;
    this.#known.add(value);
    for (const form of secretForms(value)) this.#forms.add(form);
    this.#finders = undefined;
  }

  /** How many secrets are known; it only grows. */
  get size(): number {
    return this.#known.size;
  }

  /** The text with every occurrence of a known secret replaced by `[REDACTED]`. */
  mask(text: string): string {
    const found = this.find(text);
    if (found.length === 0) return text;
    let masked = '';
    let position = 0;
    for (const [start, end] of found) {
      if (start >= position) masked += text.slice(position, start) + redactionMark;
      position = Math.max(position, end);
    }
    return masked + text.slice(position);
  }

  /**
   * The value with its texts, keys and secret numbers masked; the same object when nothing had to change. Throws as
   * `requireWritable` does.
   */
  maskValue<T extends JsonValue | undefined>(value: T): T {
    if (this.#known.size === 0) return value;
    // Looked at before: to mask the texts of a value takes longer than to count its parts.
    requireWritable(value);
    return this.#maskAny(value as JsonValue) as T;
  }

  #maskAny(value: JsonValue): JsonValue {
    if (typeof value === 'string') return this.mask(value);
    // A number that merely holds the digits of a secret is most often another number.
    if (typeof value === 'number') return this.#known.has(String(value)) ? redactionMark : value;
    if (Array.isArray(value)) {
      const masked = value.map((item) => this.#maskAny(item));
      return masked.every((item, index) => item === value[index]) ? value : masked;
    }
    if (!isObject(value)) return value;
    const masked = {};
    let changed = false;
    for (const [key, item] of Object.entries(value)) {
      const maskedKey = this.mask(key);
      const maskedItem = this.#maskAny(item);
      changed ||= maskedKey !== key || maskedItem !== item;
      setOwnProperty(masked, maskedKey, maskedItem);
    }
    return changed ? masked : value;
  }

  /**
   * Where secrets stand in the beginning of a text, in order; ranges may overlap. From `settled` on it depends on what
   * follows whether one stands there.
   */
  findInBeginning(text: string): { found: readonly TextRange[]; settled: number } {
    if (this.#known.size === 0) return { found: [], settled: text.length };
    const beginning = text.slice(0, unfinishedFilling(text));
    const found = this.find(beginning);
    const folded = foldCase(beginning);
    const settled = Math.min(...this.#finders!.map((finder) => finder.unfinished(folded)));
    return { found, settled: beforeBackslashes(text, settled) };
  }

  /** Where secrets stand, in order; ranges may overlap. */
  find(text: string): TextRange[] {
    if (this.#known.size === 0) return [];
    this.#finders ??= findersOf([...this.#forms]);
    const folded = foldCase(text);
    return this.#finders
      .flatMap((finder) => finder.find(folded))
      .sort((one, other) => one[0] - other[0] || other[1] - one[1]);
  }
}

/**
 * Find the forms as they are, and whatever escaping and wrapping put into them. Of short ones only what is escaped:
 * with white space put in, `then` would hide a part of `the next`.
 */
function findersOf(forms: readonly string[]): TextFinder[] {
  const isLong = (form: string) => form.replace(/\s/g, '').length >= minimumPartLength;
  const isShort = (form: string) => !isLong(form);
  return [
    new TextFinder(forms),
    new TextFinder(forms.filter(isLong), skipFilling),
    new TextFinder(forms.filter(isShort), skipBackslashes),
  ];
}

function skipBackslashes(text: string, from: number): number {
  let index = from;
  while (text[index] === '\\') index += 1;
  return index;
}

/** Where the backslashes begin that stand before a place: what follows them may be a part of what they escape. */
function beforeBackslashes(text: string, index: number): number {
  let start = index;
  while (text[start - 1] === '\\') start -= 1;
  return start;
}

/** Where the backslashes at the end of a text begin that may stand for a line break with what follows; else the end. */
function unfinishedFilling(text: string): number {
  const end = text.endsWith('r') ? text.length - 1 : text.length;
  let start = beforeBackslashes(text, end);
  if (start === end) return text.length;
  // The return before a line feed belongs to the same line break.
  while (text[start - 1] === 'r' && text[start - 2] === '\\') start = beforeBackslashes(text, start - 1);
  return start;
}

/**
 * Passes over white space, and over backslashes with the line breaks that they stand for: what was escaped, however
 * often, or broken into lines is still found.
 */
function skipFilling(text: string, from: number): number {
  let index = from;
  for (;;) {
    const character = text[index];
    if (character === ' ' || character === '\n' || character === '\r' || character === '\t') index += 1;
    else if (character === '\\') {
      while (text[index] === '\\') index += 1;
      const isReturn = text[index] === 'r' && text[index + 1] === '\\';
      if (text[index] === 'n' || isReturn) index += 1;
    } else return index;
  }
}
