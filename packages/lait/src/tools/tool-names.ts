/** Longest name of a function that model servers accept. */
const maxNameLength = 64;

/** A tool before its name is settled. */
export interface NamedTool {
  /** Its name on the wire. */
  name: string;
  /** What it is for people, e.g. `MCP tool 'read' of 'files'`. */
  origin: string;
}

/**
 * The name under which a model sees a tool: the parts joined by `__`, other characters than ASCII letters, digits,
 * `_` and `-` replaced by `_`. Source: steps facts §12.
 */
export function toolName(...parts: readonly string[]): string {
  return parts.map((part) => part.replace(/[^A-Za-z0-9_-]/gu, '_')).join('__');
}

/** What is wrong with a set of names: too long ones and collisions, each naming the tools it is about. */
export function nameProblems(tools: readonly NamedTool[]): string[] {
  const problems: string[] = [];
  const owners = new Map<string, string>();
  for (const { name, origin } of tools) {
    if (name.length > maxNameLength) {
      problems.push(`the name '${name}' of ${origin} is longer than ${maxNameLength} characters`);
    }
    const other = owners.get(name);
    if (other === undefined) owners.set(name, origin);
    else problems.push(`${other} and ${origin} have the same name '${name}'`);
  }
  return problems;
}
