import { StepError } from '../errors/errors.js';
import type { AgentPlan } from '../plan/agent.js';
import { didYouMean } from '../plan/suggest.js';
import type { Lookup } from './kind.js';

/** Whether a reference is a path rather than a name. Source: steps seed, `agent`. */
export function isAgentPath(reference: string): boolean {
  return reference.includes('/') || reference.endsWith('.md');
}

/**
 * The agent that a step names: an entry of this file's `agents:`, else a file, else an agent of the configuration.
 * Throws a `StepError` (code `agent_unknown`), or what reading the file throws. Source: steps seed, `agent`.
 */
export async function findAgent(reference: string, lookup: Lookup): Promise<AgentPlan> {
  const { settings, plan, services, signal } = lookup;
  const own = Object.hasOwn(settings.agents, reference) ? settings.agents[reference] : undefined;
  if (own !== undefined) return own;
  if (isAgentPath(reference)) {
    const directory = plan.directory ?? services.environment.workingDirectory;
    return services.agents.file(reference, directory, { signal });
  }
  const registered = await services.agents.registered(reference, { signal });
  if (registered !== undefined) return registered;
  const known = [...Object.keys(settings.agents), ...services.agents.registeredNames()];
  const hint = didYouMean(reference, known);
  throw new StepError({
    code: 'agent_unknown',
    category: 'definition',
    message: `there is no agent '${reference}': neither under agents: of this file nor of lait.config.yml${hint === undefined ? '' : `; ${hint}`}`,
  });
}
