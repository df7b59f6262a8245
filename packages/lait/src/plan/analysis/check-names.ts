import type { Kinds } from '../../kinds/kind.js';
import { allNodes } from '../all-nodes.js';
import type { PlanNode } from '../plan.js';
import type { ToolSelection } from '../settings.js';
import { didYouMean } from '../suggest.js';
import type { DefinitionPath, Findings } from './located-plan.js';

/** What may be selected by name, and where it is registered in lait.config.yml. */
const selections = {
  mcp: 'mcp_servers',
  skills: 'skills',
  subagents: 'agents',
  tools: 'tools',
} as const satisfies Partial<Record<keyof ToolSelection, string>>;

/** The names of a configuration, by section. */
export type RegisteredNames = Readonly<
  Record<(typeof selections)[keyof typeof selections], ReadonlySet<string>>
>;

/**
 * Finds tools that are selected by names which nothing is registered under. Without `registered` (there is no
 * configuration) nothing is checked. Gives back whether a plan selects anything by name at all.
 */
export function checkNames(
  findings: Findings,
  kinds: Kinds,
  registered: RegisteredNames | undefined,
): boolean {
  const { body, settings } = findings.located.plan;
  let selects = checkSelection(settings.defaults, ['default'], findings, registered);
  for (const [name, agent] of Object.entries(settings.agents)) {
    selects = checkSelection(agent, ['agents', name], findings, registered) || selects;
  }
  for (const node of allNodes(body.nodes, kinds)) {
    if (kinds.get(node.kind)?.modelUse === undefined) continue;
    selects = checkSelection(node.fields as ToolSelection, [], findings, registered, node) || selects;
  }
  return selects;
}

/** Checks the names of one level of settings, which stands at `at`, from the node or from the top. */
export function checkSelection(
  selection: ToolSelection,
  at: DefinitionPath,
  findings: Findings,
  registered: RegisteredNames | undefined,
  node?: PlanNode,
): boolean {
  let selects = false;
  for (const field of Object.keys(selections) as (keyof typeof selections)[]) {
    const section = selections[field];
    for (const [index, name] of (selection[field] ?? []).entries()) {
      selects = true;
      const known = registered?.[section];
      if (known === undefined || known.has(name)) continue;
      const hint =
        didYouMean(name, known) ?? (known.size === 0 ? undefined : `it has ${[...known].join(', ')}`);
      findings.add({
        code: 'unregistered_name',
        severity: 'error',
        message: `${[...at, field].join('.')}: '${name}' is not registered under ${section}: of lait.config.yml`,
        ...(hint === undefined ? {} : { hint }),
        ...(node === undefined ? {} : { node }),
        at: [...at, field, index],
      });
    }
  }
  return selects;
}
