import type { LoopView } from '../expressions/scope.js';
import type { Completion, ConcurrentUnit, ConversationLog, ItemLog, Kinds } from '../kinds/kind.js';
import type { Services } from '../kinds/services.js';
import type { Block, Plan, PlanCall, PlanNode, PlanStart } from '../plan/plan.js';
import type { PlanSettings } from '../plan/settings.js';
import type { JsonObject, Value } from '../values/value.js';
import type { Breather } from './breather.js';
import type { CancelScope } from './cancel-scope.js';
import { EngineScope, type StateHolder } from './engine-scope.js';
import type { StepFields } from './events.js';
import { RecordedSteps } from './recorded-steps.js';
import type { Address, BranchExecutor, Runtime } from './runtime.js';

/** What all executions of one run share. */
export interface RunEnvironment {
  services: Services;
  kinds: Kinds;
  breather: Breather;
  /** Keeps the results of single items of top-level loops. */
  itemLog?: ItemLog;
  /** Keeps the conversations that steps of the top level had to stop. */
  conversationLog?: ConversationLog;
}

/** What people see of the position: scope data, fresh in each branch. */
export interface Progress {
  counter: number;
  readonly prefix: string;
  readonly depth: number;
}

/** One plan at work in one branch at one place: everything a step needs to run. */
export interface Execution {
  readonly environment: RunEnvironment;
  readonly plan: Plan;
  /** The plan's settings over its callers'. */
  readonly settings: PlanSettings;
  readonly runtime: Runtime;
  readonly cancel: CancelScope;
  readonly scope: EngineScope;
  /** What comes before a node's path in addresses: loop indexes, branch keys, attempts, callers. */
  readonly frame: Address;
  readonly progress: Progress;
  /** The origins of the running plans, outermost first, this one last. */
  readonly callers: readonly string[];
  /** The innermost concurrent unit of the steps form around this place. */
  readonly unit: ConcurrentUnit | undefined;
  /** Effects that were declared and not achieved. */
  readonly missingEffects: Set<string>;
}

/** What tells one execution from others: of a run, of a child workflow, of a branch. */
export interface ExecutionStart
  extends Pick<Execution, 'plan' | 'settings' | 'runtime' | 'cancel' | 'frame' | 'callers'>,
    Pick<Progress, 'prefix' | 'depth'> {
  inputs: Value;
  /** Steps that are recorded already. */
  steps?: JsonObject;
  loop?: LoopView | null;
  /** The state, shared with every execution that has the same holder. */
  holder: StateHolder;
  context: PlanStart['context'];
  counter?: number;
  unit?: ConcurrentUnit;
}

export function newExecution(environment: RunEnvironment, start: ExecutionStart): Execution {
  const { plan, settings, runtime, cancel, frame, callers, unit, prefix, depth, counter = 0 } = start;
  const { inputs, steps, loop = null, holder, context } = start;
  const recorded = steps === undefined ? new RecordedSteps() : RecordedSteps.from(steps);
  // What expressions warn of becomes an event of the run; nothing is prepared when nobody listens.
  const warn = runtime.listening
    ? (message: string) => runtime.emit({ type: 'warning', message, prefix, depth })
    : undefined;
  return {
    environment,
    plan,
    settings,
    runtime,
    cancel,
    scope: new EngineScope(inputs, recorded, loop, holder, context, warn),
    frame,
    progress: { counter, prefix, depth },
    callers,
    unit,
    missingEffects: new Set(),
  };
}

/** What those that run plans and branches need of the interpreter. */
export interface Interpreting {
  /** `startIndex`: the node to begin at. Default: the block's entry. */
  runBlock(block: Block, value: Value, execution: Execution, startIndex?: number): Promise<Completion>;
  runChildPlan(plan: Plan, call: PlanCall, address: Address, execution: Execution): Promise<Value>;
  readonly executeBranch: BranchExecutor;
}

/** The fields that every event of a step carries. */
export function stepFields(node: PlanNode, number: number, execution: Execution): StepFields {
  return {
    address: execution.frame + node.path,
    path: node.path,
    id: node.id,
    label: node.label,
    kind: node.kind,
    number,
    prefix: execution.progress.prefix,
    depth: execution.progress.depth,
  };
}

/** Whether events about a node are wanted: somebody listens, and it is a step to those who watch. */
export function announces(node: PlanNode, { runtime, environment }: Execution): boolean {
  return runtime.listening && environment.kinds.get(node.kind)?.inner !== true;
}
