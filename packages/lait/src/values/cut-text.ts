/**
 * Keeps the beginning and the end of a text that is longer than `maxBytes` in UTF-8, with a mark between that says how
 * much is missing. Never splits a character. Source: field report FR-37.
 */
export function cutText(text: string, maxBytes: number): { text: string; omittedBytes: number } {
  // Every UTF-16 unit takes at most three bytes: short texts need no counting.
  if (text.length * 3 <= maxBytes || Buffer.byteLength(text) <= maxBytes) return { text, omittedBytes: 0 };
  const bytes = Buffer.from(text, 'utf8');
  const half = Math.floor(maxBytes / 2);
  const headEnd = characterStart(bytes, half);
  const tailStart = characterStart(bytes, bytes.length - half + 3);
  const omittedBytes = tailStart - headEnd;
  const mark = `\n[… ${omittedBytes} of ${bytes.length} bytes left out …]\n`;
  return {
    text: bytes.toString('utf8', 0, headEnd) + mark + bytes.toString('utf8', tailStart),
    omittedBytes,
  };
}

/** The nearest position at or before `position` where a character begins. */
function characterStart(bytes: Buffer, position: number): number {
  let start = Math.min(position, bytes.length);
  while (start > 0 && start < bytes.length && (bytes[start]! & 0xc0) === 0x80) start -= 1;
  return start;
}
