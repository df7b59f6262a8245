import type { Predicate } from '../../expressions/predicate.js';
import type { JsonObject, JsonValue } from '../../values/value.js';

/** A JSON Schema of a definition; `true` and `{}` accept everything. */
export type DefinitionSchema = JsonObject | boolean | null;

/** A dynamic workflow as programs write it. Source: dynamic seed, 定義フィールド. */
export interface DynamicWorkflowDefinition {
  /** Names the workflow in the registry and in runs. */
  id: string;
  description?: string | null;
  inputSchema: DefinitionSchema;
  outputSchema: DefinitionSchema;
  stateSchema?: DefinitionSchema;
  requestContextSchema?: DefinitionSchema;
  metadata?: JsonObject | null;
  graph: DynamicEntry[];
}

/** What a call may set. `retries` are further attempts after the first. */
export interface CallOptions {
  retries?: number | null;
  metadata?: JsonObject | null;
}

interface Described {
  description?: string | null;
  metadata?: JsonObject | null;
}

export interface AgentEntry extends Described {
  type: 'agent';
  id: string;
  agentId: string;
  outputSchema?: DefinitionSchema;
  options?: CallOptions | null;
}

export interface ToolEntry extends Described {
  type: 'tool';
  id: string;
  toolId: string;
  options?: CallOptions | null;
}

export interface ClassifierEntry extends Described {
  type: 'classifier';
  id: string;
  classifierId: string;
  options?: CallOptions | null;
}

export interface WorkflowEntry extends Described {
  type: 'workflow';
  id: string;
  workflowId: string;
}

export interface MappingDefinitionEntry extends Described {
  type: 'mapping';
  id: string;
  /** JSON text of an object, or the object itself: a descriptor for each key of the output. */
  mapConfig: string | JsonObject;
}

/** The older way to call an agent or a tool: `id` names an agent, else a tool. */
export interface PlainStepEntry {
  type: 'step';
  step: { id: string };
}

/** What may stand in a container. */
export type CallEntry = AgentEntry | ToolEntry | ClassifierEntry | WorkflowEntry | PlainStepEntry;

export interface ParallelEntry extends Described {
  type: 'parallel';
  id?: string | null;
  steps: CallEntry[];
}

export interface ConditionalEntry extends Described {
  type: 'conditional';
  id?: string | null;
  steps: CallEntry[];
  /** One for each step, in the same order. */
  predicates: Predicate[];
}

export interface ForeachEntry extends Described {
  type: 'foreach';
  id?: string | null;
  step: CallEntry;
  opts?: { concurrency?: number | null } | null;
}

export interface LoopEntry extends Described {
  type: 'loop';
  id?: string | null;
  loopType: 'dowhile' | 'dountil';
  step: CallEntry;
  predicate: Predicate;
}

export interface SleepEntry extends Described {
  type: 'sleep';
  id?: string;
  /** Milliseconds. */
  duration: number;
}

export interface SleepUntilEntry extends Described {
  type: 'sleepUntil';
  id?: string;
  /** A date that the platform's Date parser reads. */
  date: string;
}

export type DynamicEntry =
  | CallEntry
  | MappingDefinitionEntry
  | ParallelEntry
  | ConditionalEntry
  | ForeachEntry
  | LoopEntry
  | SleepEntry
  | SleepUntilEntry;

/** A definition that is plain JSON and nothing more is known of yet. */
export interface UncheckedDefinition extends JsonObject {
  graph: JsonValue[];
}
