import { dialectOf } from '../dialects/index.js';
import { idempotencyKey } from '../engine/idempotency-key.js';
import type { Kind, Kinds } from '../kinds/kind.js';
import { allNodes } from '../plan/all-nodes.js';
import type { Plan, PlanNode } from '../plan/plan.js';
import { isObject, type JsonObject, ownProperty } from '../values/value.js';
import { nodesOf } from './plan-nodes.js';

/** One activation of a node: one logical start of it in a run. Source: graph facts §1.7. */
export interface NodePlace {
  node_id: string;
  /** The address without attempts and what stands behind it. */
  address: string;
  activation_id: string;
}

/** What the log calls a node: its id; where nodes need none also its path. */
export function nodeName({ form }: Plan, { id, path }: PlanNode): string | undefined {
  return id ?? (dialectOf(form).logsNodes ? undefined : path);
}

/** Finds the node and the activation that an address of a run belongs to. */
export class NodePlaces {
  readonly #ids: ReadonlyMap<string, string>;
  /** Paths of the nodes inside each node: behind any other node an address goes on in another workflow. */
  readonly #inner: ReadonlyMap<string, ReadonlySet<string>>;
  /** Addresses whose call a person had run again, with the address of the newest execution. */
  readonly #reexecuted = new Map<string, string>();

  constructor(
    readonly runId: string,
    plan: Plan,
    kinds: Kinds,
    answers: JsonObject,
  ) {
    const ids = new Map<string, string>();
    const inner = new Map<string, ReadonlySet<string>>();
    for (const { node, kind } of nodesOf(plan, kinds)) {
      const name = nodeName(plan, node);
      if (name !== undefined) ids.set(node.path, name);
      inner.set(node.path, innerPaths(node, kind, kinds));
    }
    this.#ids = ids;
    this.#inner = inner;
    for (const [question, answer] of Object.entries(answers)) this.#learn(question, answer);
  }

  /** The place of an address, e.g. `nodes.loop#2>nodes.step@3?`; undefined outside of the plan's own nodes. */
  at(address: string): NodePlace | undefined {
    let place: NodePlace | undefined;
    let frame = '';
    let around: ReadonlySet<string> | undefined;
    for (const segment of address.split('>')) {
      const path = /^[^#@~!?/]+/.exec(segment)?.[0] ?? '';
      const node_id = this.#ids.get(path);
      if (node_id === undefined || around?.has(path) === false) break;
      around = this.#inner.get(path);
      const base = frame + path;
      place = {
        node_id,
        address: base,
        activation_id: idempotencyKey(this.runId, this.#reexecuted.get(base) ?? base),
      };
      frame += `${segment}>`;
    }
    return place;
  }

  /** A call that ran again is a new activation: its key is that of the next execution of the effect. */
  #learn(question: string, answer: unknown): void {
    if (!isObject(answer) || ownProperty(answer, 'decision') !== 'reexecute') return;
    const place = this.at(question);
    if (place === undefined) return;
    const effect = question.replace(/@\d+(?=[^>]*$)/, '');
    const [, base, mark, number] = /^(.*?)(?:([~!])(\d+))?[?!]$/.exec(effect) ?? [];
    if (base === undefined) return;
    const kind = question.endsWith('!') ? '!' : '~';
    const next = mark === kind ? Number(number) + 1 : 1;
    const before = mark !== undefined && mark !== kind ? `${mark}${number}` : '';
    this.#reexecuted.set(place.address, `${base}${before}${kind}${next}`);
  }
}

function innerPaths(node: PlanNode, kind: Kind | undefined, kinds: Kinds): Set<string> {
  const blocks = [...(kind?.blocks?.(node.fields) ?? []).map(({ block }) => block)];
  if (node.onError !== undefined) blocks.push(node.onError);
  return new Set(blocks.flatMap((block) => [...allNodes(block.nodes, kinds)].map(({ path }) => path)));
}
