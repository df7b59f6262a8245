import type { TextRange } from '../../plan/problems.js';
import type { ScalarNode } from '../../plan/yaml/source-node.js';

const escapeLengths: Readonly<Record<string, number>> = { x: 4, u: 6, U: 10 };

/**
 * Finds the place in the text of a part of a scalar's value. Characters that are no white space stand in the text in
 * the same order as in the value, so both are walked side by side; white space is moved by folding and indentation.
 */
export function placeInScalar(
  node: ScalarNode,
  text: string,
  start: number,
  end: number,
): TextRange | undefined {
  const { range, value } = node;
  if (range === undefined || typeof value !== 'string') return range;
  let at = contentStart(node, text);
  let from = at;
  for (let index = 0; index < value.length && index < end; index++) {
    at = findCharacter(node, text, at, value[index]!);
    if (index <= start) from = at;
    at += lengthAt(node, text, at, value[index]!);
  }
  const last = Math.min(at, range.end);
  if (start >= value.length) from = last;
  return { start: Math.min(from, last), end: Math.max(last, Math.min(from + 1, range.end)) };
}

function contentStart({ style, range }: ScalarNode, text: string): number {
  const { start } = range!;
  if (style === 'plain') return start;
  if (style === 'single' || style === 'double') return start + 1;
  const line = text.indexOf('\n', start);
  return line === -1 ? start : line + 1;
}

/** Where `character` of the value stands at or behind `at`. */
function findCharacter(node: ScalarNode, text: string, at: number, character: string): number {
  if (/\s/.test(character)) return at;
  let position = at;
  while (position < node.range!.end && /\s/.test(text[position]!)) position += 1;
  // An escaped line break continues the line.
  while (node.style === 'double' && text[position] === '\\' && /[\r\n]/.test(text[position + 1] ?? '')) {
    position += 1;
    while (position < node.range!.end && /\s/.test(text[position]!)) position += 1;
  }
  return position;
}

/** How many characters of the text stand for one of the value. */
function lengthAt(node: ScalarNode, text: string, at: number, character: string): number {
  const written = text[at];
  if (node.style === 'single' && written === "'" && character === "'") return 2;
  if (node.style === 'double' && written === '\\') return escapeLengths[text[at + 1] ?? ''] ?? 2;
  if (/\s/.test(character)) return written !== undefined && /\s/.test(written) ? 1 : 0;
  return 1;
}
