import { DefinitionError } from '../../errors/errors.js';
import type { Dialect } from '../dialect.js';

/** JSON with `nodes`, `edges` and `inputs_schema`. Source: graph seed. */
export const graphDialect: Dialect = {
  keys: ['nodes', 'edges'],
  takesNamedInputs: true,
  readsTime: true,
  waits: true,
  logsNodes: true,
  async read(source, { directory, graphLimits }) {
    const { graphPlan } = await import('./graph-plan.js');
    try {
      const { plan, warnings } = graphPlan(source, { directory, ...graphLimits });
      return { plan, diagnostics: warnings };
    } catch (error) {
      if (error instanceof DefinitionError) return { diagnostics: error.diagnostics };
      throw error;
    }
  },
  async check({ id, content }, { services, graphLimits }) {
    const { checkGraphDefinition } = await import('./graph-plan.js');
    const { agents, capabilities } = services();
    const names = new Set(agents.registeredNames());
    const graph = typeof content === 'string' ? { file: id, text: content } : content;
    return checkGraphDefinition(graph, { agents: names, capabilities, ...graphLimits }).issues;
  },
};
