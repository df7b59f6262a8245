import { foreachBodyId } from '../../../dialects/dynamic/step-records.js';
import type { Block, Plan, PlanNode } from '../../../plan/plan.js';
import { isObject, type JsonObject, ownProperty, setOwnProperty, type Value } from '../../../values/value.js';

/** An entry of a workflow's graph: a step, a sleep, or what holds steps. */
export interface GraphEntry {
  index: number;
  path: string;
  /** The steps directly in it; their results are recorded under these ids. */
  stepIds: readonly string[];
  /** Passes on what came in. */
  isSleep: boolean;
  /** Only some of its steps run. */
  isConditional: boolean;
  /** Gives the results of its steps by their ids. */
  isObject: boolean;
}

export function graphEntries({ body }: Plan): GraphEntry[] {
  return body.nodes.map((node, index) => {
    const { kind, path } = node;
    return {
      index,
      path,
      stepIds: stepIdsOf(node),
      isSleep: kind === 'sleep',
      isConditional: kind === 'conditional',
      isObject: kind === 'conditional' || kind === 'parallel',
    };
  });
}

/** What an entry came to by the outputs of its steps. */
export function entryOutput({ stepIds, isObject: gathers }: GraphEntry, outputs: JsonObject): Value {
  if (!gathers) return ownProperty(outputs, stepIds[0] ?? '');
  const gathered: JsonObject = {};
  // A step that was not chosen stands there without a value.
  for (const id of stepIds) setOwnProperty(gathered, id, ownProperty(outputs, id));
  return gathered;
}

function stepIdsOf(node: PlanNode): string[] {
  const { id, fields } = node;
  if (id !== undefined) return [id];
  const body = foreachBodyId(node);
  if (body !== undefined) return [body];
  const {
    parallel,
    branches,
    body: block,
  } = fields as {
    parallel?: Record<string, Block>;
    branches?: readonly { id: string }[];
    body?: Block;
  };
  if (isObject(parallel)) return Object.keys(parallel);
  if (branches !== undefined) return branches.map((branch) => branch.id);
  return block?.nodes.flatMap((inner) => inner.id ?? []) ?? [];
}
