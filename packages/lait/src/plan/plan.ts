import type { Form } from '../dialects/index.js';
import type { Expression } from '../expressions/expression.js';
import type { JsonObject, JsonValue, Value } from '../values/value.js';
import type { DiagnosticCode } from './diagnostic-codes.js';
import type { InputDeclarations } from './inputs.js';
import type { PlanSettings, RetryPolicy } from './settings.js';
import type { SourceFile, SourcePosition } from './source.js';
import type { SpendingLimits } from './spending-limits.js';

export type { Form };

/** What the interpreter runs: plain data and compiled expressions, nothing of the form it was written in. */
export interface Plan {
  form: Form;
  /** Names the workflow in events and records: the file as given, the definition's id, the workflow's name. */
  id: string;
  name?: string;
  description?: string;
  /** Tells workflows apart when calls are followed: the canonical path of the file, or the registered id. */
  origin: string;
  /** The directory that relative agent, workflow and schema paths start from; undefined without a file. */
  directory?: string;
  /** Every file the plan was lowered from, this one first. */
  sources: readonly SourceFile[];
  /** The steps form's `inputs:`; absent when the workflow declares none. */
  inputs?: InputDeclarations;
  /** JSON Schema of the whole input, in the forms that have one: people's text is read by it. */
  inputSchema?: JsonObject;
  /** Checks and completes what a caller hands over. Throws a `UsageError`. */
  accept(call: PlanCall): PlanStart;
  body: Block;
  /** Computes the result from the last value. */
  output?: Expression;
  /** Seconds that one run of this plan may take. */
  timeoutSeconds?: number;
  /** What one run of this plan may spend, its children included. */
  limits?: SpendingLimits;
  /** Defaults, model aliases and agents of this file; a child falls back to its caller's, item by item. */
  settings: PlanSettings;
  /** Steps that must not run where a caller of the steps form is concurrent. Source: steps facts §11. */
  restrictions?: readonly PlacementRestriction[];
}

/** A step that may not be reached from a concurrent unit. Whoever calls the plan from one refuses it then. */
export interface PlacementRestriction {
  /** `any`: branches of `parallel` and items of a concurrent `for_each`; `items`: only the latter. */
  where: 'any' | 'items';
  code: DiagnosticCode;
  /** The whole sentence, with the step's path. */
  message: string;
  path: string;
  id?: string;
  position?: SourcePosition;
}

/** What a caller hands to a plan: the piped value, named inputs, and what travels along. */
export interface PlanCall {
  value?: Value;
  inputs?: Value;
  state?: JsonObject;
  context?: Readonly<Record<string, JsonValue>>;
  /** True when a step of another workflow calls: what travels along was accepted at the start of the run. */
  nested?: boolean;
}

/** An accepted call: defaults applied, types checked. */
export interface PlanStart {
  value: Value;
  inputs: Value;
  state: JsonObject;
  context: Readonly<Record<string, JsonValue>>;
}

/** A list of nodes that run one after the other, or a graph of nodes when `edges` is given. */
export interface Block {
  /** `steps`, `steps[2].for_each`, `graph`, …: the prefix of its nodes' paths. */
  path: string;
  nodes: readonly PlanNode[];
  /** Index of the first node. Default 0. */
  entry?: number;
  /** Per node, in order of judgement; absent for a plain list. */
  edges?: readonly (readonly Edge[])[];
  /** What is drawn and shown for the block, e.g. `case 1: .severity == "high"`. */
  title?: string;
}

/** A way from one node to another. The first edge of the fitting kind whose condition holds is taken. */
export interface Edge {
  id?: string;
  kind: 'normal' | 'error';
  /** Absent = always. */
  condition?: Expression<boolean>;
  /** Index of the target in the block's nodes. */
  target: number;
}

/** One step, entry or node. `fields` belongs to the kind; the rest means the same for every kind. */
export interface PlanNode<Fields = unknown> {
  kind: string;
  /** Stable place in the definition, e.g. `steps[2].for_each.steps[0]`. */
  path: string;
  /** The author's id: the name under which the value is recorded. */
  id?: string;
  /** What people see: the id, or `step-3 (prompt)`. */
  label: string;
  position?: SourcePosition;
  when?: Expression;
  input?: Expression;
  output?: Expression;
  retry?: RetryPolicy;
  /** Seconds that one attempt may take. */
  timeoutSeconds?: number;
  onError?: Block;
  fields: Fields;
}
