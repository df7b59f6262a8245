/**
 * True when an object in `text` gives a key twice. `JSON.parse` keeps the last one in silence, so `value`, what it made
 * of the text, then has fewer members than the text has colons outside of strings.
 */
export function repeatsKeys(text: string, value: unknown): boolean {
  let written = 0;
  // Strings are matched as a whole, so that only colons between keys and values are counted.
  for (const [token] of text.matchAll(/"[^"\\]*(?:\\.[^"\\]*)*"|:/g)) if (token === ':') written += 1;
  let kept = 0;
  const pending: unknown[] = [value];
  while (pending.length > 0) {
    const current = pending.pop();
    if (typeof current !== 'object' || current === null) continue;
    const members = Object.values(current);
    if (!Array.isArray(current)) kept += members.length;
    for (const member of members) pending.push(member);
  }
  return kept < written;
}
