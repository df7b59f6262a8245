import type { PlanNode } from '../../../plan/plan.js';
import type { JsonValue } from '../../../values/value.js';
import type { GraphNode } from '../definition.js';
import type { GraphCheck } from '../graph-check.js';
import type { GraphIssueCode } from '../issue-codes.js';
import type { GraphLowering } from '../lower-graph.js';

/** A type of node: what its config must be, what it gives, and which kind of step runs it. Source: facts §2. */
export interface GraphNodeType {
  type: string;
  /** What it is for, in one sentence. */
  description: string;
  /** The keys of its config. */
  keys: readonly string[];
  /** Keys that it does not have and refuses, all but its own by default; other unknown keys are warned about. */
  refuses?: { code: GraphIssueCode; keys?: readonly string[] };
  /** True for what ends its scope: no edge may leave it. */
  end?: boolean;
  check(node: GraphNode, check: GraphCheck): void;
  /** The declared schema of its output; undefined when it declares none. */
  output?(node: GraphNode, check: GraphCheck): JsonValue | undefined;
  /** Lowers a node that was checked without errors. */
  lower(node: GraphNode, lowering: GraphLowering): LoweredNode;
}

/** What a node type adds to the plan's node. */
export type LoweredNode = Pick<PlanNode, 'kind' | 'fields' | 'input' | 'retry'>;
