/** Text without control characters and halves of characters: what every database takes as it is. */
export function isPlainText(value: unknown): value is string {
  // biome-ignore lint/suspicious/noControlCharactersInRegex: exactly these are refused
  return typeof value === 'string' && /^[^\u0000-\u001f\u007f\ud800-\udfff]*$/u.test(value);
}
