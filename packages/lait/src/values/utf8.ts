import { StepError } from '../errors/errors.js';

/**
 * Encodes text that leaves the program. Throws a `StepError` (code `text_not_encodable`) for half a surrogate pair:
 * UTF-8 has no bytes for it, and replacing it silently would change the text.
 *
 * @param what names the text in the error, e.g. `standard input`
 */
export function encodeUtf8(text: string, what: string): Buffer {
  if (!text.isWellFormed()) {
    throw new StepError({
      code: 'text_not_encodable',
      message: `${what} holds half of a surrogate pair (at character ${loneSurrogate(text)}) and cannot be encoded as UTF-8`,
    });
  }
  return Buffer.from(text, 'utf8');
}

/**
 * Decodes bytes that came from outside. Nothing is replaced or removed, a byte order mark stays. Throws a `StepError`
 * (code `text_not_utf8`) for anything that is not UTF-8.
 */
export function decodeUtf8(bytes: Uint8Array, what: string): string {
  try {
    return new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(bytes);
  } catch (cause) {
    if (!(cause instanceof TypeError)) throw cause;
    throw new StepError({
      code: 'text_not_utf8',
      message: `${what} is not valid UTF-8; convert it first (iconv) or encode it (base64)`,
    });
  }
}

function loneSurrogate(text: string): number {
  let index = 0;
  for (const character of text) {
    if (!character.isWellFormed()) return index;
    index += character.length;
  }
  return index;
}
