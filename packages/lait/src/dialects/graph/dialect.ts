import { DefinitionError } from '../../errors/errors.js';
import type { Diagnostic } from '../../plan/diagnostic.js';
import type { Dialect, GraphWorld } from '../dialect.js';
import type { GraphCheckOptions } from './graph-check.js';

/** JSON with `nodes`, `edges` and `inputs_schema`. Source: graph seed. */
export const graphDialect: Dialect = {
  keys: ['nodes', 'edges'],
  takesNamedInputs: true,
  readsTime: true,
  waits: true,
  logsNodes: true,
  async read(source, { directory, graphLimits, graph }) {
    const { graphPlan } = await import('./graph-plan.js');
    const known = graph === undefined ? {} : registered(await graph());
    try {
      const { plan, warnings } = graphPlan(source, { directory, ...known, ...graphLimits });
      return { plan, diagnostics: warnings.filter(notOfConsent) };
    } catch (error) {
      if (error instanceof DefinitionError) return { diagnostics: error.diagnostics.filter(notOfConsent) };
      throw error;
    }
  },
  async check({ id, content }, { services, graphLimits }) {
    const { checkGraphDefinition } = await import('./graph-plan.js');
    const graph = typeof content === 'string' ? { file: id, text: content } : content;
    return checkGraphDefinition(graph, { ...registered(services()), ...graphLimits }).issues;
  },
};

/** Whoever consents to a run of a file is told what it changes; its reader need not be warned. */
function notOfConsent({ code }: Pick<Diagnostic, 'code'>): boolean {
  return code !== 'capability_effects';
}

/** What nodes may name. */
function registered({ agents, capabilities, onUnknownName }: GraphWorld): GraphCheckOptions {
  return {
    agents: new Set(agents.registeredNames()),
    capabilities,
    ...(onUnknownName !== undefined && { onUnknownName }),
  };
}
