import type { Kind } from '../../kinds/kind.js';
import type { PlanNode } from '../plan.js';

/** Longer texts are cut: a picture is no listing. */
const longestLine = 120;

/** What a step's shape says: its label, what it does in the author's words, and its condition. */
export function stepLines(node: PlanNode, kind: Kind): string[] {
  const summary = summaryOf(node, kind);
  const lines = [node.label];
  if (summary !== undefined) lines.push(`${node.kind}: ${summary}`);
  else if (!node.label.includes(node.kind)) lines.push(node.kind);
  if (node.when !== undefined) lines.push(`when: ${node.when.source}`);
  return lines.map(oneLine);
}

/** The text on one line of at most 120 characters, cut with `…`. */
export function oneLine(text: string): string {
  const characters = [...text.toWellFormed().replace(/\s+/g, ' ').trim()];
  return characters.length <= longestLine
    ? characters.join('')
    : `${characters.slice(0, longestLine - 1).join('')}…`;
}

/** The source behind the key that makes the step its kind; nothing where that key holds steps or settings. */
function summaryOf(node: PlanNode, kind: Kind): string | undefined {
  const called = kind.callsWorkflow?.(node.fields);
  if (called !== undefined) return called;
  const fields = (node.fields ?? {}) as Readonly<Record<string, unknown>>;
  if (Object.hasOwn(fields, kind.name)) return sourceOf(fields[kind.name]);
  // Kinds of the JSON forms name what they call in a field of another name.
  if (kind.fields === undefined)
    return Object.values(fields).find((value) => typeof value === 'string') as string | undefined;
  return undefined;
}

function sourceOf(value: unknown): string | undefined {
  if (typeof value === 'string') return value;
  if (Array.isArray(value)) {
    const parts = value.map(sourceOf);
    return parts.every((part) => part !== undefined) ? parts.join(' ') : undefined;
  }
  if (typeof value !== 'object' || value === null) return undefined;
  const source = (value as { source?: unknown }).source;
  return typeof source === 'string' ? source : undefined;
}
