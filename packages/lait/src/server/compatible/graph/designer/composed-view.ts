import type { CapabilityService } from '../../../../kinds/services.js';
import { isObject, type JsonObject } from '../../../../values/value.js';
import { type DefinitionPackage, packageOf } from '../definition-package.js';
import type { ComposedGraph } from './compose-graph.js';

/** A draft as clients of this interface know it. Source: graph facts §8.1. */
export function composedView(
  composed: ComposedGraph,
  { capabilities }: { capabilities: CapabilityService },
): JsonObject {
  const { definition, summary, assumptions, structuralErrors, issues } = composed;
  return {
    package: definition === undefined ? null : packageOf(definition),
    summary,
    assumptions,
    node_analysis: definition === undefined ? [] : nodeAnalysis(definition, capabilities),
    structural_errors: structuralErrors,
    validation_issues: issues,
  };
}

/** What the nodes of a draft will do, and which of them need consent. Source: graph facts §7. */
function nodeAnalysis({ graph }: DefinitionPackage, capabilities: CapabilityService): JsonObject[] {
  return graph.nodes.map(({ node_id, node_type, label, config }) => {
    const key = isObject(config) ? (config as JsonObject).capability_key : undefined;
    const capability = typeof key === 'string' ? capabilities.get(key) : undefined;
    return {
      node_id: node_id ?? '',
      node_type: node_type ?? '',
      label: label ?? node_id ?? '',
      effects: node_type === 'agent' ? 'whatever its tools do' : (capability?.effects.join(', ') ?? ''),
      requires_approval:
        node_type === 'agent' || (node_type === 'capability' && capability?.approval_policy !== 'auto'),
    };
  });
}
