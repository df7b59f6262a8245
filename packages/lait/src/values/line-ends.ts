/**
 * Text with plain line breaks: a file that was checked out on Windows says the same to a model, and meets the same
 * recordings, as everywhere else. `offset` leads from a place in the new text to the same place in the old one.
 */
export function plainLineEnds(text: string): { text: string; offset(at: number): number } {
  if (!text.includes('\r\n')) return { text, offset: (at) => at };
  const plain = text.replaceAll('\r\n', '\n');
  return {
    text: plain,
    offset(at) {
      let original = 0;
      for (let index = 0; index < at; index += 1) original += text.startsWith('\r\n', original) ? 2 : 1;
      return original;
    },
  };
}
