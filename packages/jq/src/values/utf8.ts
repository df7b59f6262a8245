const replacement = '\ufffd';
/** The least code point that needs as many bytes. */
const leastOfLength = [0, 0, 0x80, 0x800, 0x10000];

/** The text of bytes in UTF-8. What is none becomes U+FFFD, as often as in jq, which differs from JavaScript. */
export function decodeUtf8(bytes: Buffer): string {
  const text = bytes.toString('utf8');
  return text.includes(replacement) ? decodeBroken(bytes) : text;
}

function decodeBroken(bytes: Buffer): string {
  let text = '';
  for (let at = 0; at < bytes.length; ) {
    const first = bytes[at]!;
    const length = sequenceLength(first);
    // A sequence cut off by the end is broken as a whole, with whatever stands in it.
    let taken = length === 0 ? 1 : Math.min(length, bytes.length - at);
    let code = length === 1 ? first : taken < length || length === 0 ? -1 : first & (0x7f >> length);
    for (let index = 1; index < length && code !== -1; index++) {
      const byte = bytes[at + index]!;
      if ((byte & 0xc0) === 0x80) code = (code << 6) | (byte & 0x3f);
      else [code, taken] = [-1, index];
    }
    const isScalar = code >= leastOfLength[length]! && code <= 0x10ffff && (code < 0xd800 || code > 0xdfff);
    text += isScalar ? String.fromCodePoint(code) : replacement;
    at += taken;
  }
  return text;
}

/** Bytes of a sequence by its first one; 0 where none begins. */
function sequenceLength(first: number): number {
  if (first < 0x80) return 1;
  if (first < 0xc2 || first > 0xf4) return 0;
  return first < 0xe0 ? 2 : first < 0xf0 ? 3 : 4;
}
