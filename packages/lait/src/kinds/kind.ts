import type { Spent } from '../engine/budget.js';
import type { LazySignal } from '../engine/cancel-scope.js';
import type { RunEvent, StepFields } from '../engine/events.js';
import type { Question } from '../engine/question.js';
import type { EffectContext, EffectOptions, EffectResult } from '../engine/runtime.js';
import type { Expression } from '../expressions/expression.js';
import type { LoopView, Scope } from '../expressions/scope.js';
import type { AgentPlan } from '../plan/agent.js';
import type { FieldProblem, FieldTable } from '../plan/fields.js';
import type { Block, Plan, PlanCall, PlanNode } from '../plan/plan.js';
import type { ModelSettings, PlanSettings, ToolSelection } from '../plan/settings.js';
import type { SchemaSource } from '../schema/schema-source.js';
import type { JsonObject, JsonValue, Value } from '../values/value.js';
import type { ChatMessage, Services } from './services.js';

/** How a block or a step ended: with a value, out of the innermost loop, or out of the workflow. */
export interface Completion {
  value: Value;
  control?: 'break' | 'stop';
  /** Of a stop: what the whole run came to. Default `success`. */
  outcome?: Outcome;
}

export type Outcome = 'success' | 'failure' | 'incomplete';

/** What a kind may do while it executes. One per step; its calls are strictly sequential. */
export interface StepContext {
  readonly plan: Plan;
  readonly node: PlanNode;
  /** The value the step works on, after `input:`. */
  readonly input: Value;
  readonly scope: Scope;
  readonly services: Services;
  /** The plan's settings over its callers'. */
  readonly settings: PlanSettings;
  /** The origins of the running plans, outermost first, this one last. */
  readonly callers: readonly string[];
  readonly runId: string;
  readonly address: string;
  readonly attempt: number;
  readonly cancel: LazySignal;
  /** Evaluates with `.` set to `value` (default: the step's input), inside `loop` when a loop judges its condition. */
  evaluate<T extends Value>(expression: Expression<T>, value?: Value, loop?: LoopView): T;
  /**
   * Runs one effect through the runtime: recorded, replayed after a crash, cancelled with the attempt. `name` tells
   * several effects of one step apart. A suspended effect waits for its answer and runs again with `resume`.
   */
  effect(
    run: (context: EffectContext) => Promise<EffectResult>,
    options?: EffectOptions & { name?: string },
  ): Promise<Value>;
  /** The recorded value of the named effect, when it ended in an earlier pass; throws its recorded failure. */
  recorded(name: string): Value | undefined;
  /**
   * Counts a model call that begins against the limits around the step; gives back what counts its end. `priced`:
   * whether its cost will be known; `ended`: it is only replayed, and no limit can refuse it any more. Throws a
   * `LaitError` (code `limit_reached` or `limit_uncountable`) and cancels what the limit is for.
   */
  beginModelCall(options: { priced: boolean; ended: boolean }): (spent: Spent | undefined) => void;
  /** Asks a person and waits for the answer. */
  ask(question: Question): Promise<JsonValue>;
  /** Waits until an instant, in milliseconds since 1970. */
  sleep(until: number): Promise<void>;
  /** The recorded current time in milliseconds since 1970. */
  now(): Promise<number>;
  /** Runs a block in this branch. `key` tells iterations apart; `loop` is what the body sees as the loop. */
  runBlock(
    block: Block,
    value: Value,
    options?: { key?: string | number; loop?: LoopView; isolated?: boolean },
  ): Promise<Completion>;
  /**
   * Runs blocks side by side, each in its own scope. Outcome values in declaration order. On failure siblings are
   * cancelled and awaited, then the failure is thrown with its branch named. `name` tells several forks of one step
   * apart.
   */
  runBranches(branches: readonly BranchRequest[], options: BranchOptions): Promise<Value[]>;
  /** Where a loop of the top level keeps what its items came to; absent when the run keeps nothing of the kind. */
  readonly itemLog?: ItemLog;
  /** Where a step of the top level keeps a conversation that it had to stop; absent when the run keeps none. */
  readonly conversationLog?: ConversationLog;
  /** Records a value under an id beside the step's own, e.g. the results of a dynamic container's steps. */
  record(id: string, value: Value): void;
  /** Runs another workflow as a child of this step, in its own scope. */
  runPlan(plan: Plan, call: PlanCall): Promise<Value>;
  /** Says that an effect which this step declares was not achieved: a successful run then ends as `incomplete`. */
  missEffects(effects: readonly string[]): void;
  /** False when nobody listens: build no event then. */
  readonly listening: boolean;
  /** Whether answers of models are wanted, be it for their usage alone. */
  readonly metering: boolean;
  emit(event: RunEvent): void;
  /** The fields that every event of this step carries. */
  eventFields(): StepFields;
  /** A line for the person at the terminal. */
  note(message: string): void;
  warn(message: string): void;
}

/** A conversation that ran out of tool rounds. Source: field report FR-16. */
export interface StoppedConversation {
  /** What was said, the system prompt left out. */
  messages: readonly ChatMessage[];
  /** Tool results that `messages` show cut, whole, by the ids of their calls. */
  cutResults: Readonly<Record<string, string>>;
}

/** Keeps the conversation that a step had to stop, so that a later run can go on with it. */
export interface ConversationLog {
  /** What an earlier run kept of the step, and how many more exchanges it may have when that was said; given once. */
  open(step: string): (StoppedConversation & { maxToolRounds?: number }) | undefined;
  keep(step: string, conversation: StoppedConversation): void;
}

/** Keeps the results of single items, so that a later run need not repeat them. */
export interface ItemLog {
  /** Says which list is worked on. Gives back what an earlier, interrupted pass over the same list has finished. */
  open(
    address: string,
    items: readonly JsonValue[],
  ): { results: ReadonlyMap<number, JsonValue>; steps: JsonObject };
  /**
   * An item, named by the address of its iteration or branch, has ended well. `steps`: all that is recorded by then.
   */
  finished(address: string, value: Value, steps?: JsonObject): void;
}

/** A block that runs as a branch, and the values that only it sees. */
export interface BranchRequest {
  key: string;
  block: Block;
  value: Value;
  /** Default: the loop around the step. */
  loop?: LoopView | null;
  /** Put before the branch's progress lines, behind what stands before the step's. */
  prefix?: string;
}

export interface BranchOptions {
  maxConcurrency: number;
  /** Which failure is reported. Default `first`. */
  failure?: 'first' | 'declared' | undefined;
  /** What the steps form calls the unit: some steps of child workflows are refused in it. */
  unit?: ConcurrentUnit;
  /** Tells several forks of one step apart. */
  name?: string;
}

/** Branches of `parallel`, or items of a concurrent `for_each`. */
export type ConcurrentUnit = 'branches' | 'items';

/** How a kind is drawn: a rectangle, a diamond, or an end. */
export type Shape = 'action' | 'control' | 'terminal';

/** A kind of step: its traits and what it does. Shared code asks traits and never lists kinds. */
export interface Kind<Fields = unknown> {
  /** The name in plans and events; in the steps form also the key that makes a step this kind. */
  name: string;
  shape: Shape;
  /** One sentence for schemas and documentation. */
  description: string;
  /** The fields of the steps form beside the common ones, the kind key included. Absent: not a kind of that form. */
  fields?: FieldTable;
  /** Which of the common fields a step of this kind may have. Default all. */
  commonFields?: readonly string[];
  /** True for what a step runs inside itself, e.g. a tool call: it is no step of its own to those who watch. */
  inner?: boolean;
  /** True when it calls a model: `default.retry` and `default.timeout` apply. */
  callsModel?: boolean;
  /** What it does to the world; a step without effects is recomputed and never recorded. */
  effects: 'none' | 'rerun' | 'attention';
  /** True when a record of it shows its input although it has no effects: what it makes of it is worth looking at. */
  tellsInput?: boolean;
  /** True when running it again may do harm that its author has to think about, e.g. an arbitrary program. */
  unsafeToRepeat?: boolean;
  /** True when it may wait for a person: not allowed in concurrent units of the steps form. */
  waits?: boolean;
  /** Whether a run of the graph form with this step needs a person's consent before it begins. */
  needsApproval?(fields: Fields, services: Services): boolean;
  /** A loop catches `break`. */
  loop?: boolean;
  /** What it ends with its value: the workflow (`stop`), the innermost loop (`break`), or its own block. */
  ends?: 'workflow' | 'loop' | 'block';
  /** Child blocks with the titles people see; `concurrent` ones forbid stop, break outwards and questions. */
  blocks?(fields: Fields): readonly ChildBlock[];
  /** What no field alone can show, e.g. a default that is no choice. Called when each field by itself is right. */
  check?(fields: Fields): readonly FieldProblem[];
  /** What of this machine it reaches because its author says so; a server refuses what it does not allow. */
  reaches?(fields: Fields): readonly Reach[];
  /** The path of a file it writes: a constant one is not allowed in concurrent items. */
  writes?(fields: Fields): Expression<string>;
  /** What it would ask which model with, before anything runs. Reads agent files and nothing else. */
  modelUse?(fields: Fields, lookup: Lookup): Promise<ModelUse> | ModelUse;
  /** The workflow it runs as a child: a path or a registered name. Lint and drawings follow it. */
  callsWorkflow?(fields: Fields): string | undefined;
  /** The agent it asks: a name of the file's `agents:`, a path, or a registered name. */
  callsAgent?(fields: Fields): string | undefined;
  /** True when it may read recorded steps that its expressions do not show, e.g. in a default or an agent's prompt. */
  readsAllSteps?(fields: Fields): boolean;
  /**
   * True when its value is the text of the one reply that it asks for, so that the reply can be shown as the result
   * while it arrives. `levels` are the plan's settings and the configuration's defaults.
   */
  replyIsValue?(fields: Fields, levels: { settings: PlanSettings; defaults: ToolSelection }): boolean;
  /** Every expression among the fields. */
  expressions?(fields: Fields): readonly NamedExpression[];
  execute(fields: Fields, context: StepContext): Promise<Completion> | Completion;
}

/** Kinds by name. */
export interface Kinds {
  get(name: string): Kind | undefined;
  /** All of them, in the order in which documentation and schemas list them. */
  values(): Iterable<Kind>;
}

/** Programs that are started, files that are written, files that are read. */
export type Reach = 'run' | 'write' | 'files';

/** What is at hand where a step is looked at without being run. */
export interface Lookup {
  plan: Plan;
  /** The plan's settings over its callers'. */
  settings: PlanSettings;
  services: Services;
  signal: AbortSignal;
}

/** The effective settings of a step that asks a model, each from the first level that sets it. */
export interface ModelUse {
  settings: ModelSettings;
  selection: ToolSelection;
  /** The system prompt and what `{{ input }}` in it is: the step's input. */
  system?: Expression<string>;
  /** The agent it asks through. */
  agent?: AgentPlan;
  /** What the reply is checked against. */
  outputSchema?: SchemaSource;
}

export interface ChildBlock {
  name: string;
  title: string;
  block: Block;
  concurrent?: boolean;
  /** What runs of it refuse some steps of child workflows as. */
  unit?: ConcurrentUnit | undefined;
  /** True when it may run more than once. */
  repeated?: boolean;
  /** True when it may be passed over. */
  optional?: boolean;
}

export interface NamedExpression {
  name: string;
  expression: Expression;
  /** What `.` / `input` is: the step's input (default), a child's result, or the item of a loop. */
  sees?: 'input' | 'result';
  /** Decides what is run, or whether: what it gives counts as true or false. */
  condition?: true;
}

/** Shorthand for the usual completion. */
export function completed(value: Value): Completion {
  return { value };
}
