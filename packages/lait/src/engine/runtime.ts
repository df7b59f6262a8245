import type { Block } from '../plan/plan.js';
import type { JsonObject, JsonValue, Value } from '../values/value.js';
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
  /** 1 for the first attempt. */
  attempt: number;
  /** Stable over attempts, crashes and resumes of this effect: hand it to whatever can recognise a repetition. */
  idempotencyKey: string;
  /** The answer to the question with which this effect suspended, when it runs again. */
  resume?: JsonValue;
}

/** What an effect gives back: a value with what it changed, or a question that must be answered first. */
export type EffectResult =
  | { value: Value; state?: JsonObject; effects?: readonly string[] }
  | { suspended: Question };

export interface EffectOptions {
  /** What to do when a crash left the effect started but without an outcome. Default `rerun`. */
  interrupted?: 'rerun' | 'attention';
  /** Leaves the outcome out of the record when replaying costs nothing and the outcome is large. */
  attempt?: number;
}

/** One branch of a fork: its block (when the branches differ) and the values only it sees. */
export interface ForkBranch {
  key: string;
  block?: Block;
  variables: BranchVariables;
}

/** The free variables of a branch, as data: a branch can run on another machine. */
export interface BranchVariables {
  value: Value;
  loop?: { index: number; item?: Value } | null;
}

/** What all branches of a fork see: only what their blocks refer to. */
export interface SharedVariables {
  inputs: Value;
  steps: JsonObject;
  loop: JsonValue;
  state: JsonObject;
  context: Readonly<Record<string, JsonValue>>;
}

export interface ForkSpecification {
  block?: Block;
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
  | { status: 'completed'; value: Value; state?: JsonObject }
  | { status: 'failed'; error: unknown }
  | { status: 'cancelled' };

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
    options?: EffectOptions,
  ): Promise<EffectResult>;
  /** Parks the branch until a person or a message answers. The time does not count against deadlines. */
  wait(address: Address, question: Question): Promise<JsonValue>;
  /** Parks the branch until an instant, in milliseconds since 1970. */
  sleep(address: Address, until: number): Promise<void>;
  /** The current time in milliseconds, recorded: a recovered run sees the instant of its first pass. */
  now(address: Address): Promise<number>;
  /** Runs branches side by side: the only concurrency there is. Outcomes in declaration order. */
  fork(address: Address, specification: ForkSpecification): Promise<BranchOutcome[]>;
  /** Offers a snapshot after a top-level step; built only when somebody stores it. */
  commit(address: Address, snapshot: () => Snapshot): Promise<void>;
  /** True when somebody listens; the engine builds no event otherwise. */
  readonly listening: boolean;
  emit(event: RunEvent): void;
}
