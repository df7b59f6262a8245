import { type CapabilityOptions, defineCapability } from '../../src/capabilities/define-capability.js';
import { createLait } from '../../src/create-lait.js';
import type { LaitOptions } from '../../src/lait.js';
import type { CreateRunOptions } from '../../src/runs/new-run.js';
import type { RunController } from '../../src/runs/run-controller.js';
import type { JsonObject, JsonValue } from '../../src/values/value.js';

export interface GraphNodeInput {
  node_id: string;
  node_type: string;
  config: JsonObject;
  parent_loop_node_id?: string;
}

/** `a->b`, `a->b!` for an error edge; the order is the order of judgement. */
export function graphOf(
  nodes: readonly GraphNodeInput[],
  edges: readonly string[],
  inputs_schema: JsonObject = { type: 'object' },
): JsonObject {
  return {
    inputs_schema,
    nodes: nodes as unknown as JsonValue[],
    edges: edges.map((text, index) => {
      const [, source, target, error] = /^(.+?)->(.+?)(!)?$/.exec(text)!;
      return {
        edge_id: `e${index}`,
        source_node_id: source!,
        target_node_id: target!,
        edge_kind: error === undefined ? 'normal' : 'error',
        condition: null,
        order_index: index,
      };
    }),
  };
}

export function capabilityNode(
  node_id: string,
  capability_key: string,
  more: JsonObject = {},
): GraphNodeInput {
  return { node_id, node_type: 'capability', config: { capability_key, inputs: {}, ...more } };
}

export function terminal(node_id: string, outcome = 'success'): GraphNodeInput {
  return { node_id, node_type: 'terminal', config: { outcome } };
}

export const hitl = (node_id: string, inputs: JsonObject = { question: 'go?' }): GraphNodeInput =>
  capabilityNode(node_id, 'hitl_wait', { inputs });

/** A capability that needs no consent and counts its calls. */
export function counted(
  key: string,
  execute: CapabilityOptions['execute'] = () => ({ ok: true }),
  more: Partial<CapabilityOptions> = {},
) {
  const calls: { activationId: string; attempt: number }[] = [];
  const capability = defineCapability({
    key,
    approval_policy: 'auto',
    ...more,
    execute(inputs, context) {
      calls.push({ activationId: context.activationId, attempt: context.attempt });
      return execute(inputs, context);
    },
  });
  return { capability, calls };
}

/** A controller over the given capabilities, and a short way to begin a run. */
export async function hostOf(options: LaitOptions): Promise<{
  runs: RunController;
  start(graph: JsonObject, run?: CreateRunOptions): Promise<string>;
}> {
  const lait = await createLait({ config: false, ...options });
  const runs = await lait.runs();
  return {
    runs,
    async start(graph, run) {
      const { plan } = await lait.load(graph);
      const { run_id } = await runs.create(plan, run);
      await runs.drive(run_id);
      return run_id;
    },
  };
}

/** What a change is refused with that comes too late, or does not fit where the run stands. */
export const conflict = { code: 'run_conflict' };

/** Works once, then asks. */
export const asking = graphOf([capabilityNode('a', 'work'), hitl('h'), terminal('t')], ['a->h', 'h->t']);

/** A promise that is settled from outside. */
export function gate<T>() {
  let open!: (value: T) => void;
  const promise = new Promise<T>((resolve) => {
    open = resolve;
  });
  return { promise, open };
}
