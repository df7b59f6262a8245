import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { capabilityNode, type GraphNodeInput, graphOf, hitl, terminal } from '../runs/graph-host.js';

/** A shell command as a capability that leaves a line in `log` each time it is called. */
export function logging(name: string, more = '', script = 'printf done'): string {
  return `  ${name}:
    command: [sh, -c, 'echo ${name} >> log; ${script}']
    description: leaves a line
${more}`;
}

/** A configuration whose capabilities leave a line each; `settings` are those of the capabilities. */
export function configuration(
  capabilities: Readonly<Record<string, string>>,
  scripts: Readonly<Record<string, string>> = {},
): string {
  const names = Object.keys(capabilities);
  return `tools:\n${names.map((name) => logging(name, '', scripts[name])).join('')}capabilities:\n${names
    .map((name) => `  ${name}: { tool: ${name}, ${capabilities[name]} }\n`)
    .join('')}`;
}

export const auto = 'approval_policy: auto';

export function graphFile(nodes: readonly GraphNodeInput[], edges: readonly string[], schema = {}): string {
  return JSON.stringify({ name: 'test-graph', ...graphOf(nodes, edges, { type: 'object', ...schema }) });
}

/** before → question → after → end. */
export const asking = (inputs: Parameters<typeof hitl>[1]) =>
  graphFile(
    [capabilityNode('before', 'before'), hitl('q', inputs), capabilityNode('after', 'after'), terminal('t')],
    ['before->q', 'q->after', 'after->t'],
  );

/** The lines that programs left. */
export function logOf(directory: string): string[] {
  const path = join(directory, 'log');
  return existsSync(path) ? readFileSync(path, 'utf8').trimEnd().split('\n') : [];
}

/** The ids of the runs that are recorded in files, the oldest first. */
export function runIds(directory: string): string[] {
  const path = join(directory, '.lait', 'runs');
  return existsSync(path)
    ? readdirSync(path)
        .map((name) => name.replace(/\.json$/, ''))
        .sort()
    : [];
}
