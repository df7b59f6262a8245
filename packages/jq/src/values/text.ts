const surrogate = /[\ud800-\udfff]/;

/** Whether a string has surrogates, so that code points and UTF-16 units differ. */
export function hasSurrogates(text: string): boolean {
  return surrogate.test(text);
}

/** The number of code points. Lone surrogates count as one each. */
export function codePointLength(text: string): number {
  if (!hasSurrogates(text)) return text.length;
  let length = 0;
  for (const _ of text) length++;
  return length;
}

/** Code points `from` (inclusive) to `to` (exclusive). */
export function codePointSlice(text: string, from: number, to: number): string {
  if (!hasSurrogates(text)) return text.slice(from, to);
  return Array.from(text).slice(from, to).join('');
}

/** The UTF-8 length, lone surrogates counting as U+FFFD. */
export function utf8Length(text: string): number {
  return Buffer.byteLength(text);
}

/** jq's replacement of what is no Unicode scalar value. */
export function scalarCodePoint(code: number): number {
  return code > 0x10ffff || code < 0 || (code >= 0xd800 && code <= 0xdfff) ? 0xfffd : code;
}
