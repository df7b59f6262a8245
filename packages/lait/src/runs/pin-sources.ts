import { realpath } from 'node:fs/promises';
import { isAgentPath } from '../kinds/find-agent.js';
import type { Kinds } from '../kinds/kind.js';
import type { AgentService, Services } from '../kinds/services.js';
import type { AgentPlan } from '../plan/agent.js';
import { allNodes } from '../plan/all-nodes.js';
import { loadChildren } from '../plan/load-children.js';
import type { Plan } from '../plan/plan.js';
import type { SourceFile } from '../plan/source.js';

/**
 * What a run keeps of the files that it is made of, so that it goes on with them as they were: its own sources, the
 * workflows that it can reach, named by origin, the agent files that their steps name, and those of the configuration.
 * Files that cannot be read are left out: the step that needs one says what is wrong.
 */
export async function pinSources(plan: Plan, services: Services, kinds: Kinds): Promise<SourceFile[]> {
  const { signal } = new AbortController();
  const { children } = await loadChildren(plan, { kinds, workflows: services.workflows, signal });
  const pinned = new Map<string, SourceFile>();
  const pin = (source: SourceFile | undefined) => {
    if (source !== undefined) pinned.set(source.file, source);
  };
  const plans = new Set([plan, ...children.values()]);
  for (const child of children.values()) pin({ file: child.origin, text: child.sources[0]?.text ?? '' });
  for (const { directory, body } of plans) {
    const from = directory ?? services.environment.workingDirectory;
    for (const node of allNodes(body.nodes, kinds)) {
      const agent = kinds.get(node.kind)?.callsAgent?.(node.fields);
      if (agent !== undefined && isAgentPath(agent))
        pin(await sourceOf(services.agents.file(agent, from, { signal })));
    }
  }
  for (const agent of await registeredAgents(services.agents, signal)) pin(agent);
  const [own, ...others] = plan.sources;
  for (const source of others) if (!pinned.has(source.file)) pin(source);
  return own === undefined ? [] : [own, ...pinned.values()];
}

function registeredAgents(agents: AgentService, signal: AbortSignal): Promise<(SourceFile | undefined)[]> {
  return Promise.all(agents.registeredNames().map((name) => sourceOf(agents.registered(name, { signal }))));
}

async function sourceOf(agent: Promise<AgentPlan | undefined>): Promise<SourceFile | undefined> {
  const found = await agent.catch(() => undefined);
  if (found?.source === undefined) return undefined;
  const { file, text } = found.source;
  // Whatever links lead to it.
  return { file: await realpath(file).catch(() => file), text };
}
