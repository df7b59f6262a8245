/** `tool_policy` of the configuration. */
export interface ToolPolicy {
  allow?: readonly string[];
  deny?: readonly string[];
}

/**
 * Whether a tool may be called by its name on the wire: never when a `deny` pattern matches; otherwise when `allow`
 * is empty or one of its patterns matches. Source: steps facts §12.
 */
export function isAllowed(name: string, { allow = [], deny = [] }: ToolPolicy): boolean {
  if (deny.some((pattern) => matches(pattern, name))) return false;
  return allow.length === 0 || allow.some((pattern) => matches(pattern, name));
}

/** Patterns are exact names, `x*`, `*x`, `*x*` and `*`; a star elsewhere stands for itself. */
function matches(pattern: string, name: string): boolean {
  if (pattern === '*') return true;
  const open = pattern.endsWith('*');
  const text = pattern.slice(pattern.startsWith('*') ? 1 : 0, open ? -1 : undefined);
  if (pattern.startsWith('*')) return open ? name.includes(text) : name.endsWith(text);
  return open ? name.startsWith(text) : name === text;
}
