import { isWorkflowPath } from '../../config/workflow-service.js';
import { kinds } from '../../kinds/index.js';
import type { AgentPlan } from '../../plan/agent.js';
import { allNodes } from '../../plan/all-nodes.js';
import type { Diagnostic } from '../../plan/diagnostic.js';
import type { Plan } from '../../plan/plan.js';
import type { SourcePosition } from '../../plan/source.js';

/**
 * What definitions that came over HTTP may do with this machine: start programs, write files, read files, and reach
 * model servers of their own choice (with keys from the environment). Nothing of it unless the operator allows it.
 */
export const permissions = ['run', 'write', 'files', 'endpoints'] as const;
export type Permission = (typeof permissions)[number];

const reasons: Readonly<Record<Permission, string>> = {
  run: 'starts programs',
  write: 'writes files',
  files: 'reads files',
  endpoints: 'names a model server',
};

/** What a definition does that is not allowed here, as diagnostics. */
export function reachProblems(plan: Plan, allowed: readonly Permission[]): Diagnostic[] {
  const problems: Diagnostic[] = [];
  const add = (permission: Permission, at: { path?: string; id?: string; position?: SourcePosition }) => {
    if (allowed.includes(permission)) return;
    problems.push({
      code: 'not_allowed_here',
      severity: 'error',
      message: `it ${reasons[permission]}, which definitions on this server may not`,
      hint: `the operator can allow it: server.allow: [${permission}] in lait.config.yml`,
      ...at,
    });
  };
  for (const node of allNodes(plan.body.nodes, kinds)) {
    const kind = kinds.get(node.kind);
    const at = {
      path: node.path,
      ...(node.id !== undefined && { id: node.id }),
      ...(node.position !== undefined && { position: node.position }),
    };
    for (const permission of kind?.reaches?.(node.fields) ?? []) add(permission, at);
    const called = kind?.callsWorkflow?.(node.fields);
    if (called !== undefined && isWorkflowPath(called)) add('files', at);
  }
  for (const [name, agent] of Object.entries(plan.settings.agents))
    if (agentReadsFiles(agent)) add('files', { path: `agents.${name}` });
  for (const [alias, entries] of Object.entries(plan.settings.models)) {
    for (const { provider } of entries) {
      if (provider === undefined) continue;
      add('endpoints', { path: `models.${alias}` });
      if (provider.api_key_cmd !== undefined) add('run', { path: `models.${alias}` });
    }
  }
  return problems;
}

function agentReadsFiles({ files = [], images = [], inputSchema, outputSchema }: AgentPlan): boolean {
  return (
    files.length > 0 ||
    images.length > 0 ||
    inputSchema?.file !== undefined ||
    outputSchema?.file !== undefined
  );
}
