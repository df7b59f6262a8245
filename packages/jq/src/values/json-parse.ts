import type { Context } from '../compile/context.js';
import { maximumValueDepth } from '../limits.js';
import type { JsonValue } from './json.js';
import { JsonReader } from './json-reader.js';
import { raise } from './raise.js';

/**
 * Reads one JSON text as jq's `fromjson` does: also `nan` and infinities, lone surrogates as U+FFFD. Reports
 * integers that lose digits to `context.onPrecisionLoss`. Raises a jq error for anything else.
 */
export function parseJson(text: string, context: Context): JsonValue {
  context.charge(text.length >>> 4);
  if (isPlain(text)) {
    try {
      return JSON.parse(text) as JsonValue;
    } catch {
      // The reader accepts more, and says what is wrong with the rest.
    }
  }
  const reader = new JsonReader(text, (literal) => context.onPrecisionLoss?.(literal));
  return reader.read((problem) => raise(`${problem} (while parsing '${text}')`));
}

/** Whether JavaScript's parser reads a text the way jq does: no huge numbers, surrogate escapes or deep nesting. */
function isPlain(text: string): boolean {
  if (/[0-9]{16}|[0-9.][eE]|\\u[dD]|[\ud800-\udfff]/.test(text)) return false;
  return text.length < maximumValueDepth || nesting(text) <= maximumValueDepth;
}

/** The deepest nesting of brackets outside strings. */
function nesting(text: string): number {
  let depth = 0;
  let deepest = 0;
  for (let at = 0; at < text.length; at++) {
    const code = text.charCodeAt(at);
    if (code === 0x5b || code === 0x7b) deepest = Math.max(deepest, ++depth);
    else if (code === 0x5d || code === 0x7d) depth--;
    else if (code === 0x22) {
      for (at++; at < text.length && text.charCodeAt(at) !== 0x22; at++) {
        if (text.charCodeAt(at) === 0x5c) at++;
      }
    }
  }
  return deepest;
}
