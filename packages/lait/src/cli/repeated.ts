/** Reads an option that may be given more than once: all of its values, in order. */
export function repeated(value: string, previous: string[] = []): string[] {
  return [...previous, value];
}
