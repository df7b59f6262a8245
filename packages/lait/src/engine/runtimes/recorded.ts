import { StepError } from '../../errors/errors.js';
import { isLaitError } from '../../errors/lait-error.js';
import type { JsonValue } from '../../values/value.js';
import type { RunEvent } from '../events.js';
import { fromFailureRecord, toFailureRecord } from '../failure.js';
import { faultPoint } from '../fault-point.js';
import type { Journal } from '../journal.js';
import type { AttentionDecision, Question } from '../question.js';
import type {
  Address,
  BranchOutcome,
  CallOptions,
  EffectContext,
  EffectOptions,
  EffectResult,
  ForkSpecification,
  Runtime,
} from '../runtime.js';
import { forkInProcess } from './fork-in-process.js';
import { LazyEffectContext, MemoryRun, type MemoryRunOptions, MemoryRuntime, sleepUntil } from './memory.js';

export interface RecordedRunOptions extends MemoryRunOptions {
  journal: Journal;
  /** True for an event that an earlier process logged already: it is dropped. */
  isLogged?: (event: RunEvent) => boolean;
}

/** A run whose effects, questions, answers and instants are recorded: a new process replays it up to where it was. */
export class RecordedRun extends MemoryRun {
  readonly journal: Journal;

  constructor(options: RecordedRunOptions) {
    const { onEvent, isLogged } = options;
    super({
      ...options,
      ...(onEvent === undefined || isLogged === undefined
        ? {}
        : { onEvent: (event: RunEvent) => (isLogged(event) ? undefined : onEvent(event)) }),
    });
    this.journal = options.journal;
  }

  override branch(): Runtime {
    return new RecordedRuntime(this);
  }
}

class RecordedRuntime extends MemoryRuntime {
  constructor(protected override readonly run: RecordedRun) {
    super(run);
  }

  override step(
    address: Address,
    run: (context: EffectContext) => Promise<EffectResult>,
    options: CallOptions & EffectOptions & { keyAddress: Address },
  ): Promise<EffectResult> {
    return this.sequential(address, async () => {
      // Each re-execution that a person decided on is a new happening with its own address and key.
      for (let execution = 0; ; execution += 1) {
        const suffix = execution === 0 ? '' : `!${execution}`;
        const result = await this.#execute(address + suffix, run, {
          ...options,
          keyAddress: options.keyAddress + suffix,
        });
        if (result !== 'reexecute') return result;
      }
    });
  }

  async #execute(
    address: Address,
    run: (context: EffectContext) => Promise<EffectResult>,
    { cancel, interrupted, adopt, keyAddress }: CallOptions & EffectOptions & { keyAddress: Address },
  ): Promise<EffectResult | 'reexecute'> {
    const { journal } = this.run;
    const recorded = this.recorded(address);
    if (recorded !== undefined) return recorded;
    if (interrupted === 'attention') {
      if (journal.find('started', address) !== undefined) return this.#attend(address, cancel, adopt);
      faultPoint('effect.before-started');
      await journal.append({ type: 'started', address });
      faultPoint('effect.after-started');
    }
    let result: EffectResult;
    try {
      result = await run(new LazyEffectContext(this.run.runId, keyAddress, cancel));
    } catch (error) {
      // A cancelled call is no outcome: after a resume it runs again, or goes to attention.
      const fromOutside =
        cancel.cancelled && isLaitError(cancel.reason) && cancel.reason.category === 'cancelled';
      if (!fromOutside) {
        await journal.append({ type: 'failed', address, error: toFailureRecord(cancel.reason ?? error) });
      }
      throw error;
    }
    faultPoint('effect.before-outcome');
    if ('suspended' in result)
      await journal.append({ type: 'suspended', address, question: result.suspended });
    else await journal.append({ type: 'completed', address, ...result });
    faultPoint('effect.after-outcome');
    return result;
  }

  override recorded(address: Address): EffectResult | undefined {
    const { journal } = this.run;
    const completed = journal.find('completed', address);
    if (completed !== undefined) return completed;
    const suspended = journal.find('suspended', address);
    if (suspended !== undefined) return { suspended: suspended.question };
    const failed = journal.find('failed', address);
    if (failed !== undefined) throw fromFailureRecord(failed.error);
    return undefined;
  }

  /** The effect had begun and its outcome is unknown: a person decides. */
  async #attend(
    address: Address,
    cancel: CallOptions['cancel'],
    adopt: EffectOptions['adopt'],
  ): Promise<EffectResult | 'reexecute'> {
    const text = 'The call was interrupted and may have happened. Adopt its result, run it again, or fail?';
    const answer = await this.#ask(`${address}!`, { type: 'attention', text }, { cancel });
    const decision = answer as AttentionDecision;
    if (decision.decision === 'reexecute') return 'reexecute';
    if (decision.decision === 'adopt') {
      return {
        value: adopt === undefined ? decision.output : adopt(decision.output, decision.effects ?? []),
        ...(decision.effects === undefined ? {} : { effects: decision.effects }),
      };
    }
    throw new StepError({
      code: 'attention_failed',
      message: decision.reason ?? 'failed by decision after an interruption',
    });
  }

  override wait(address: Address, question: Question, options: CallOptions): Promise<JsonValue> {
    return this.sequential(address, () => this.#ask(address, question, options));
  }

  async #ask(address: Address, question: Question, options: CallOptions): Promise<JsonValue> {
    const { journal } = this.run;
    const recorded = journal.find('answer', address);
    if (recorded !== undefined) return recorded.answer;
    if (journal.find('question', address) === undefined)
      await journal.append({ type: 'question', address, question });
    faultPoint('question.after-recorded');
    const answer = await this.run.wait(address, question, options);
    await journal.append({ type: 'answer', address, answer });
    return answer;
  }

  override sleep(address: Address, until: number, { cancel }: CallOptions): Promise<void> {
    return this.sequential(address, async () => sleepUntil(await this.#instant(address, until), cancel));
  }

  override now(address: Address): Promise<number> {
    return this.#instant(address, Date.now());
  }

  /** The instant recorded at the address, or this one from now on. */
  async #instant(address: Address, at: number): Promise<number> {
    const recorded = this.run.journal.find('instant', address);
    if (recorded !== undefined) return recorded.at;
    await this.run.journal.append({ type: 'instant', address, at });
    return at;
  }

  override fork(
    address: Address,
    specification: ForkSpecification,
    { cancel }: CallOptions,
  ): Promise<BranchOutcome[]> {
    return this.sequential(address, async () => {
      const { journal } = this.run;
      const recorded = journal.find('fork', address);
      if (recorded !== undefined) {
        return specification.branches.map(
          (_branch, index): BranchOutcome =>
            index === recorded.branch
              ? { status: 'failed', error: fromFailureRecord(recorded.error) }
              : { status: 'cancelled' },
        );
      }
      const outcomes = await forkInProcess(address, specification, cancel, this.run);
      const branch = outcomes.findIndex(({ status }) => status === 'failed');
      const failure = outcomes[branch];
      if (failure?.status === 'failed' && !cancel.cancelled) {
        await journal.append({ type: 'fork', address, branch, error: toFailureRecord(failure.error) });
      }
      return outcomes;
    });
  }
}
