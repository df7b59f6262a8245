import { setTimeout as delay } from 'node:timers/promises';
import { CancelledError } from '../../errors/errors.js';
import { LaitError } from '../../errors/lait-error.js';
import type { JsonValue } from '../../values/value.js';
import { Activity } from '../activity.js';
import type { CancelScope } from '../cancel-scope.js';
import type { ModelRespondedEvent, RunEvent } from '../events.js';
import { idempotencyKey } from '../idempotency-key.js';
import type { Question } from '../question.js';
import type {
  Address,
  BranchExecutor,
  BranchOutcome,
  CallOptions,
  EffectContext,
  EffectOptions,
  EffectResult,
  ForkSpecification,
  Runtime,
  Snapshot,
} from '../runtime.js';
import { forkInProcess } from './fork-in-process.js';

/** Answers a question at once, or leaves it open (`undefined`): then the branch parks. */
export type Answerer = (
  question: Question,
  context: { address: Address; signal: AbortSignal },
) => Promise<JsonValue | undefined>;

export interface MemoryRunOptions {
  runId?: string;
  onEvent?: (event: RunEvent) => void;
  /** Told of each answer of a model. Without `onEvent` no other event is made. */
  onModelResponded?: (event: ModelRespondedEvent) => void;
  onSnapshot?: (snapshot: Snapshot, address: Address) => Promise<void>;
  answerer?: Answerer;
}

/** An open question of a parked branch. */
export interface OpenQuestion {
  address: Address;
  question: Question;
}

interface Waiting extends OpenQuestion {
  answer(answer: JsonValue): void;
}

const longestTimerMs = 2_147_483_647;

/**
 * An id that no other run has. It is no secret and guards nothing, so `Math.random` is enough: loading Node's
 * cryptography would take longer than the first run.
 */
function newRunId(): string {
  return `${Math.random().toString(36).slice(2)}${Math.random().toString(36).slice(2)}`;
}

/** One run held in memory: what all its branches share. */
export class MemoryRun {
  readonly runId: string;
  readonly root: Runtime;
  readonly onEvent: ((event: RunEvent) => void) | undefined;
  readonly onModelResponded: MemoryRunOptions['onModelResponded'];
  readonly onSnapshot: MemoryRunOptions['onSnapshot'];
  readonly activity: Activity;
  readonly failedForks = new Set<CancelScope>();
  executor!: BranchExecutor;
  readonly #answerer: Answerer | undefined;
  readonly #waiting = new Map<Address, Waiting>();
  #onIdle: (() => void)[] = [];

  constructor(options: MemoryRunOptions = {}) {
    this.runId = options.runId ?? newRunId();
    this.onEvent = options.onEvent;
    this.onModelResponded = options.onModelResponded;
    this.onSnapshot = options.onSnapshot;
    this.#answerer = options.answerer;
    this.activity = new Activity(() => {
      const failed = [...this.failedForks];
      this.failedForks.clear();
      for (const group of failed) group.cancel(new CancelledError({ message: 'a sibling branch failed' }));
      if (failed.length > 0) return;
      const listeners = this.#onIdle;
      this.#onIdle = [];
      for (const notify of listeners) notify();
    });
    this.root = this.branch();
  }

  /** A runtime for one more branch. */
  branch(): Runtime {
    return new MemoryRuntime(this);
  }

  get questions(): OpenQuestion[] {
    return [...this.#waiting.values()].map(({ address, question }) => ({ address, question }));
  }

  /** Calls back once, when no branch can move until a question is answered. */
  onIdle(notify: () => void): void {
    this.#onIdle.push(notify);
  }

  /** Hands the answer to the waiting branch. Throws `question_unknown` when nothing waits at the address. */
  answer(address: Address, answer: JsonValue): void {
    const waiting = this.#waiting.get(address);
    if (waiting === undefined) {
      throw new LaitError({ code: 'question_unknown', message: `no open question at '${address}'` });
    }
    this.#waiting.delete(address);
    waiting.answer(answer);
  }

  async wait(address: Address, question: Question, { cancel }: CallOptions): Promise<JsonValue> {
    cancel.throwIfCancelled();
    cancel.pauseDeadlines();
    try {
      const direct = await this.#answerer?.(question, { address, signal: cancel.signal });
      if (direct !== undefined) return direct;
      cancel.throwIfCancelled();
      return await new Promise<JsonValue>((resolve, reject) => {
        const signal = cancel.signal;
        const abandon = () => {
          this.#waiting.delete(address);
          this.activity.enter();
          reject(cancel.reason);
        };
        signal.addEventListener('abort', abandon, { once: true });
        this.#waiting.set(address, {
          address,
          question,
          answer: (value) => {
            signal.removeEventListener('abort', abandon);
            this.activity.enter();
            resolve(value);
          },
        });
        this.activity.leave();
      });
    } finally {
      cancel.resumeDeadlines();
    }
  }
}

/**
 * The runtime of one branch of a run in memory. Its calls are strictly sequential; a second one at once is a mistake.
 */
export class MemoryRuntime implements Runtime {
  #busy: string | undefined;

  constructor(protected readonly run: MemoryRun) {}

  get runId(): string {
    return this.run.runId;
  }

  get listening(): boolean {
    return this.run.onEvent !== undefined;
  }

  get metering(): boolean {
    return this.listening || this.run.onModelResponded !== undefined;
  }

  emit(event: RunEvent): void {
    if (event.type === 'model.responded') this.run.onModelResponded?.(event);
    this.run.onEvent?.(event);
  }

  step(
    address: Address,
    run: (context: EffectContext) => Promise<EffectResult>,
    options: CallOptions & EffectOptions & { keyAddress: Address },
  ): Promise<EffectResult> {
    return this.sequential(address, () =>
      run(new LazyEffectContext(this.run.runId, options.keyAddress, options.cancel)),
    );
  }

  recorded(_address: Address): EffectResult | undefined {
    return undefined;
  }

  wait(address: Address, question: Question, options: CallOptions): Promise<JsonValue> {
    return this.sequential(address, () => this.run.wait(address, question, options));
  }

  sleep(address: Address, until: number, { cancel }: CallOptions): Promise<void> {
    return this.sequential(address, () => sleepUntil(until, cancel));
  }

  now(_address: Address): Promise<number> {
    return Promise.resolve(Date.now());
  }

  fork(
    address: Address,
    specification: ForkSpecification,
    { cancel }: CallOptions,
  ): Promise<BranchOutcome[]> {
    return this.sequential(address, () => forkInProcess(address, specification, cancel, this.run));
  }

  commit(address: Address, snapshot: () => Snapshot): Promise<void> | undefined {
    return this.run.onSnapshot?.(snapshot(), address);
  }

  protected async sequential<T>(address: Address, work: () => Promise<T>): Promise<T> {
    if (this.#busy !== undefined) {
      throw new Error(`'${address}' was called while '${this.#busy}' runs in the same branch`);
    }
    this.#busy = address;
    try {
      return await work();
    } finally {
      this.#busy = undefined;
    }
  }
}

/** The context of an effect; key and signal are made when somebody asks for them. */
export class LazyEffectContext implements EffectContext {
  resume?: JsonValue;

  constructor(
    private readonly runId: string,
    private readonly keyAddress: Address,
    private readonly cancel: CancelScope,
  ) {}

  get signal(): AbortSignal {
    return this.cancel.signal;
  }

  get idempotencyKey(): string {
    return idempotencyKey(this.runId, this.keyAddress);
  }
}

/** Waits until an instant in milliseconds since 1970; longer waits than a timer can hold are re-armed. */
export async function sleepUntil(until: number, cancel: CancelScope): Promise<void> {
  for (let remaining = until - Date.now(); remaining > 0; remaining = until - Date.now()) {
    try {
      await delay(Math.min(remaining, longestTimerMs), undefined, { signal: cancel.signal });
    } catch (error) {
      cancel.throwIfCancelled();
      throw error;
    }
  }
  cancel.throwIfCancelled();
}
