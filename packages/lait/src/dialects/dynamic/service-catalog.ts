import type { RegisteredTool, Services } from '../../kinds/services.js';
import type { CallSignature, Catalog } from './catalog.js';
import type { Classifier } from './lower.js';

export interface ServiceCatalogOptions {
  services: Pick<Services, 'tools' | 'agents'>;
  classifiers: Readonly<Record<string, Classifier>>;
  workflow(id: string): CallSignature | undefined;
  workflowNames(): readonly string[];
}

/** What is registered right now. Agents' own ids are read once, so build a new catalog for each registration. */
export async function catalogOfServices(options: ServiceCatalogOptions): Promise<Catalog> {
  const { services, classifiers } = options;
  const { tools, agents } = services;
  const agentNames = new Set(agents.registeredNames());
  const { signal } = new AbortController();
  for (const key of agents.registeredNames()) {
    // An agent file that cannot be read is reported when a step needs it.
    const agent = await agents.registered(key, { signal }).catch(() => undefined);
    if (agent?.name !== undefined) agentNames.add(agent.name);
  }
  const byOwnId = new Map(
    tools
      .registeredKeys()
      .map((key) => tools.registered(key))
      .map((tool) => [tool?.ownId, tool] as const),
  );
  // A large definition asks for the same tools over and over.
  const byKey = new Map<string, RegisteredTool | undefined>();
  return {
    tool(key) {
      if (!byKey.has(key)) byKey.set(key, tools.registered(key));
      return byKey.get(key);
    },
    toolByOwnId: (id) => byOwnId.get(id),
    agent: (name) => agentNames.has(name),
    classifier: (name) => Object.hasOwn(classifiers, name),
    workflow: options.workflow,
    names: (kind) => {
      switch (kind) {
        case 'tool':
          return tools.registeredKeys();
        case 'agent':
          return [...agentNames];
        case 'classifier':
          return Object.keys(classifiers);
        case 'workflow':
          return options.workflowNames();
      }
    },
  };
}
