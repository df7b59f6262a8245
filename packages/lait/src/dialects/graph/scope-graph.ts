import type { GraphEdge, GraphNode } from './definition.js';

/** The way between two nodes, as indexes into the scope's nodes. */
interface Link {
  target: number;
  edge: GraphEdge;
}

/**
 * The nodes of one scope (the top level, or one loop) and the edges between them: order, reachability, and what has
 * certainly happened before a node. All walks are iterative, so large graphs cannot exhaust the stack.
 */
export class ScopeGraph {
  readonly #indexes: ReadonlyMap<string, number>;
  readonly #out: Link[][];
  readonly #in: number[][];
  #availability: Availability | undefined;

  constructor(
    readonly nodes: readonly GraphNode[],
    readonly edges: readonly GraphEdge[],
  ) {
    this.#indexes = new Map(nodes.map((node, index) => [node.node_id, index]));
    this.#out = nodes.map(() => []);
    this.#in = nodes.map(() => []);
    for (const edge of edges) {
      const source = this.#indexes.get(edge.source_node_id);
      const target = this.#indexes.get(edge.target_node_id);
      if (source === undefined || target === undefined) continue;
      this.#out[source]!.push({ target, edge });
      this.#in[target]!.push(source);
    }
    for (const links of this.#out)
      links.sort((left, right) => left.edge.order_index - right.edge.order_index);
  }

  has(nodeId: string): boolean {
    return this.#indexes.has(nodeId);
  }

  /** Outgoing edges of a node in the order in which they are judged. */
  outgoing(node: GraphNode): GraphEdge[] {
    return this.#out[this.#index(node)]!.map(({ edge }) => edge);
  }

  /** Nodes without incoming edge. */
  get entries(): GraphNode[] {
    return this.nodes.filter((_, index) => this.#in[index]!.length === 0);
  }

  /** Nodes that some way from `start` leads to, itself included. */
  reachableFrom(start: string): Set<string> {
    return this.#closure(start, (index) => this.#out[index]!.map(({ target }) => target));
  }

  /** Nodes from which some way leads to `end`, itself included. */
  leadingTo(end: string): Set<string> {
    return this.#closure(end, (index) => this.#in[index]!);
  }

  /** Nodes that lie on a cycle; empty for an acyclic scope. */
  get cyclic(): GraphNode[] {
    const sorted = new Set(this.#sorted());
    if (sorted.size === this.nodes.length) return [];
    // What is left holds the cycles and what lies behind them; drop what leads nowhere.
    const left = new Set(this.nodes.keys());
    for (const index of sorted) left.delete(index);
    for (let changed = true; changed; ) {
      changed = false;
      for (const index of left) {
        if (this.#out[index]!.some(({ target }) => left.has(target))) continue;
        left.delete(index);
        changed = true;
      }
    }
    return [...left].map((index) => this.nodes[index]!);
  }

  /**
   * Whether `earlier` has an output when `later` runs (or, with `after`, when the edges behind `later` are judged):
   * always, sometimes, or never. A node that failed has no output.
   */
  availability(earlier: string, later: string, after = false): 'always' | 'sometimes' | 'never' {
    const from = this.#indexes.get(earlier);
    const to = this.#indexes.get(later);
    if (from === undefined || to === undefined) return 'never';
    if (from === to) return after ? 'always' : 'never';
    this.#availability ??= new Availability(this.nodes.length, this.#sorted(), this.#out);
    if (this.#availability.succeededBefore(from, to)) return 'always';
    return this.leadingTo(later).has(earlier) ? 'sometimes' : 'never';
  }

  #index(node: GraphNode): number {
    return this.#indexes.get(node.node_id)!;
  }

  #closure(start: string, next: (index: number) => readonly number[]): Set<string> {
    const first = this.#indexes.get(start);
    const seen = new Set<number>();
    const pending = first === undefined ? [] : [first];
    for (let index = pending.pop(); index !== undefined; index = pending.pop()) {
      if (seen.has(index)) continue;
      seen.add(index);
      pending.push(...next(index));
    }
    return new Set([...seen].map((index) => this.nodes[index]!.node_id));
  }

  /** Indexes in an order in which every edge leads forward; nodes on or behind cycles are left out. */
  #sorted(): number[] {
    const open = this.#in.map((sources) => sources.length);
    const order = [...open.keys()].filter((index) => open[index] === 0);
    for (let at = 0; at < order.length; at += 1) {
      for (const { target } of this.#out[order[at]!]!) {
        open[target]! -= 1;
        if (open[target] === 0) order.push(target);
      }
    }
    return order;
  }
}

/**
 * Dominators over a graph in which every node is split into "begun" and "succeeded": a node has certainly succeeded
 * before another when its second half lies on every way to the other.
 */
class Availability {
  /** Immediate dominator and depth per half node; -1 for the common root. */
  readonly #parent: Int32Array;
  readonly #depth: Int32Array;

  constructor(size: number, order: readonly number[], out: readonly (readonly Link[])[]) {
    this.#parent = new Int32Array(size * 2).fill(-2);
    this.#depth = new Int32Array(size * 2);
    for (const index of order) {
      const begun = index * 2;
      if (this.#parent[begun] === -2) this.#parent[begun] = -1;
      this.#reach(begun + 1, begun);
      for (const { target, edge } of out[index]!) {
        this.#reach(target * 2, edge.edge_kind === 'error' ? begun : begun + 1);
      }
    }
  }

  succeededBefore(earlier: number, later: number): boolean {
    const wanted = earlier * 2 + 1;
    for (
      let half = later * 2;
      half >= 0 && this.#depth[half]! >= this.#depth[wanted]!;
      half = this.#parent[half]!
    ) {
      if (half === wanted) return true;
    }
    return false;
  }

  /** One more way into a half node: its dominator becomes what both ways have in common. */
  #reach(half: number, from: number): void {
    const known = this.#parent[half]!;
    this.#parent[half] = known === -2 ? from : this.#common(known, from);
    this.#depth[half] = this.#parent[half] === -1 ? 0 : this.#depth[this.#parent[half]!]! + 1;
  }

  #common(one: number, other: number): number {
    let [left, right] = [one, other];
    while (left !== right) {
      if (left === -1 || right === -1) return -1;
      if (this.#depth[left]! >= this.#depth[right]!) left = this.#parent[left]!;
      else right = this.#parent[right]!;
    }
    return left;
  }
}
