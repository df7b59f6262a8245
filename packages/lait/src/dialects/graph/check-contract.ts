import type { Capability } from '../../kinds/services.js';
import { ownProperty } from '../../values/value.js';
import type { GraphNode } from './definition.js';
import { followSchema } from './schema-path.js';

/**
 * What the output contract of a capability forbids about a reference to it, in one sentence. Only capabilities that
 * declare a contract are held to it. Source: graph facts §3.7.
 */
export function checkContract(
  path: readonly (string | number)[],
  source: GraphNode,
  capability: Capability | undefined,
): string | undefined {
  if (capability?.contract === undefined) return undefined;
  if (capability.contract !== 'structured') {
    return `the output of '${capability.key}' is ${capability.contract}: no other node may read it`;
  }
  if (ownProperty(source.config, 'fail_on_output_mismatch') !== true) {
    return `set fail_on_output_mismatch on node '${source.node_id}' to read its output`;
  }
  if (path.length === 0) return 'name a field: the whole output may not be read';
  const result = followSchema(capability.output_schema, path);
  // An index is an explicit choice of the author; every named part must be there for certain.
  const fields = path.filter((part) => typeof part === 'string');
  if (result.kind === 'declared' && requiredAllTheWay(capability, path, fields.length)) return undefined;
  return 'only declared and required fields may be read, with an index for list items';
}

function requiredAllTheWay(
  capability: Capability,
  path: readonly (string | number)[],
  fields: number,
): boolean {
  let seen = 0;
  for (const [at, part] of path.entries()) {
    if (typeof part === 'number') continue;
    seen += 1;
    const parent = followSchema(capability.output_schema, path.slice(0, at));
    const own = parent.kind === 'declared' ? followSchema(parent.schema, [part]) : parent;
    if (own.kind !== 'declared' || !own.required) return false;
  }
  return seen === fields;
}
