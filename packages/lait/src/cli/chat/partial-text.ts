/** What the model had said when it ran out of tool rounds. Source: field report FR-16. */
export function partialText(error: unknown): string | null {
  const { code, details } = error as { code?: string; details?: { text?: unknown } };
  return code === 'tool_rounds_exhausted' && typeof details?.text === 'string' ? details.text : null;
}
