import type { LoopView } from '../expressions/scope.js';
import type { ConcurrentUnit } from '../kinds/kind.js';
import type { Block, Plan } from '../plan/plan.js';
import type { PlanSettings } from '../plan/settings.js';
import type { JsonObject, JsonValue, Value } from '../values/value.js';
import type { CancelScope } from './cancel-scope.js';
import type { RunEvent } from './events.js';
import type { Question } from './question.js';

/**
 * Names one thing that happened in a run: the node's path behind the loop indexes, branch keys, attempts and
 * resume counters that led to it. What happened once has one address.
 */
export type Address = string;

/** What an effect is given. */
export interface EffectContext {
  /** Aborted when the attempt, a surrounding deadline or the run is cancelled. */
  signal: AbortSignal;
  /** Stable over attempts, crashes and resumes of this effect: hand it to whatever can recognise a repetition. */
  idempotencyKey: string;
  /** The answer to the question with which this effect suspended, when it runs again. */
  resume?: JsonValue;
}

/** What an effect gives back: a value with what it changed, or a question that must be answered first. */
export type EffectResult =
  | { value: Value; state?: JsonObject; effects?: readonly string[] }
  | { suspended: Question };

export interface CallOptions {
  /** The innermost cancel scope: deadlines and cancels from outside arrive through it. */
  cancel: CancelScope;
}

export interface EffectOptions {
  /** What to do when a crash left the effect started but without an outcome. Default `rerun`. */
  interrupted?: 'rerun' | 'attention';
  /** The value of an effect whose result a person states. Default: the stated output as it is. */
  adopt?: (output: Value, effects: readonly string[]) => Value;
}

/** One branch of a fork: its block and the values only it sees. */
export interface ForkBranch {
  key: string;
  block: Block;
  value: Value;
  loop: LoopView | null;
  /** Put before the branch's progress lines. */
  prefix: string;
}

/** What all branches of a fork see, as data: a branch can run on another machine. */
export interface SharedVariables {
  plan: Plan;
  settings: PlanSettings;
  depth: number;
  callers: readonly string[];
  unit: ConcurrentUnit | undefined;
  inputs: Value;
  /** Only the recorded steps that the branches' blocks refer to. */
  steps: JsonObject;
  state: JsonObject;
  context: Readonly<Record<string, JsonValue>>;
}

export interface ForkSpecification {
  shared: SharedVariables;
  branches: readonly ForkBranch[];
  maxConcurrency: number;
  /**
   * Which failure is reported: the one that happened `first` (siblings are cancelled and awaited), or after all
   * branches have ended the first one in `declared` order.
   */
  failure: 'first' | 'declared';
}

export type BranchOutcome =
  /** `state` holds only the keys that the branch wrote. */
  | { status: 'completed'; value: Value; state?: JsonObject; missingEffects?: readonly string[] }
  | { status: 'failed'; error: unknown }
  | { status: 'cancelled' };

/** Runs one branch of a fork to its end; given to a runtime by the interpreter. */
export type BranchExecutor = (
  address: Address,
  shared: SharedVariables,
  branch: ForkBranch,
  runtime: Runtime,
  cancel: CancelScope,
) => Promise<BranchOutcome>;

/** What `commit` stores of a top-level position of the steps form. */
export interface Snapshot {
  /** Index of the top-level node that just ended. */
  completedIndex: number;
  value: Value;
  steps: JsonObject;
  inputs: Value;
  state: JsonObject;
  counter: number;
}

/**
 * Everything that must survive a crash goes through this port. One instance per branch; its calls are strictly
 * sequential. Pure work is recomputed, never recorded. The port never repeats failures: attempts belong to the
 * engine.
 */
export interface Runtime {
  readonly runId: string;
  /** Runs one effect, or gives back what the record says about it; failures and suspensions are recorded too. */
  step(
    address: Address,
    run: (context: EffectContext) => Promise<EffectResult>,
    options: CallOptions & EffectOptions & { keyAddress: Address },
  ): Promise<EffectResult>;
  /** What the record says about an effect that has ended, if anything; throws its recorded failure. */
  recorded(address: Address): EffectResult | undefined;
  /** Parks the branch until a person or a message answers. The time does not count against deadlines. */
  wait(address: Address, question: Question, options: CallOptions): Promise<JsonValue>;
  /** Parks the branch until an instant, in milliseconds since 1970. */
  sleep(address: Address, until: number, options: CallOptions): Promise<void>;
  /** The current time in milliseconds, recorded: a recovered run sees the instant of its first pass. */
  now(address: Address): Promise<number>;
  /** Runs branches side by side: the only concurrency there is. Outcomes in declaration order. */
  fork(address: Address, specification: ForkSpecification, options: CallOptions): Promise<BranchOutcome[]>;
  /** Offers a snapshot after a top-level step; built only when somebody stores it, else there is nothing to await. */
  commit(address: Address, snapshot: () => Snapshot): Promise<void> | undefined;
  /** True when somebody listens; the engine builds no event otherwise. */
  readonly listening: boolean;
  /** True when somebody wants the answers of models, be it for their usage alone. */
  readonly metering: boolean;
  emit(event: RunEvent): void;
}
