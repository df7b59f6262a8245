const steering = /[^\P{Cc}\t\n]|[\u200e\u200f\u202a-\u202e\u2066-\u2069]/gu;

/** Text from a file must not steer the terminal: control characters and direction marks are shown as escapes. */
export function printable(text: string): string {
  return text.replace(steering, (character) => `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`);
}

/** A name of a file on one line. */
export function shownName(file: string): string {
  return printable(file).replaceAll('\n', '\\n').replaceAll('\t', '\\t');
}
