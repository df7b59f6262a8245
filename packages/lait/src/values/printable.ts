/**
 * Text that is safe to show on a terminal: control characters other than line breaks and tabs, and marks that change the
 * direction of writing, are written as escapes, so that a model's reply or a file name cannot move the cursor or
 * recolour the screen.
 */
export function printable(text: string): string {
  return text.replace(/[\p{Cc}\u200e\u200f\u2028\u2029\u202a-\u202e\u2066-\u2069]/gu, (character) =>
    character === '\n' || character === '\t' ? character : escaped(character),
  );
}

/** The same on one line of at most `length` characters, cut with `…`. */
export function preview(text: string, length = 200): string {
  const line = printable(text)
    .replace(/\s*\n\s*/g, ' ')
    .trim();
  const characters = [...line];
  return characters.length <= length ? line : `${characters.slice(0, length - 1).join('')}…`;
}

/** The name of a file on one line, nothing of it left out. */
export function printableName(file: string): string {
  return printable(file).replaceAll('\n', '\\n').replaceAll('\t', '\\t');
}

function escaped(character: string): string {
  const code = character.charCodeAt(0);
  return code < 0x100
    ? `\\x${code.toString(16).padStart(2, '0')}`
    : `\\u${code.toString(16).padStart(4, '0')}`;
}
