import { defaultGraphLimits } from '../../../dialects/graph/check-graph.js';
import type { ServerContext } from '../../server-context.js';

export interface GraphLimits {
  maxNodes: number;
  maxEdges: number;
}

/** How large graphs of this server may be: `graph:` of the configuration, else the form's own limits. */
export function graphLimitsOf({ configuration }: Pick<ServerContext, 'configuration'>): GraphLimits {
  const { max_nodes = defaultGraphLimits.maxNodes, max_edges = defaultGraphLimits.maxEdges } =
    configuration.values.graph ?? {};
  return { maxNodes: max_nodes, maxEdges: max_edges };
}
