import type { Snapshot } from '../engine/runtime.js';
import { explainOverflow } from '../errors/explain-overflow.js';
import { isLaitError, messageChain } from '../errors/lait-error.js';
import type { ConversationLog, ItemLog } from '../kinds/kind.js';
import type { Plan } from '../plan/plan.js';
import type { JsonObject, Value } from '../values/value.js';
import type { Checkpoint, PassedValue } from './checkpoint.js';
import type { CheckpointClaim } from './checkpoint-claim.js';
import { CheckpointConversation } from './checkpoint-conversation.js';
import { CheckpointItems } from './checkpoint-items.js';
import type { CheckpointStore } from './checkpoint-store.js';
import { CheckpointWriter } from './checkpoint-writer.js';
import type { SecretReferences } from './secret-references.js';
import { ValueCodec } from './stores/value-codec.js';

export interface RecorderOptions {
  store: CheckpointStore;
  references: SecretReferences;
  claim: CheckpointClaim;
  plan: Plan;
  /** The record as it stands, values as they are. */
  checkpoint: Checkpoint;
  /** Gives the finished items of an interrupted `for_each` back instead of repeating them. */
  keepItems?: boolean;
  /** How many more exchanges a kept conversation may have. Default: as many as its step says. */
  maxToolRounds?: number;
  onWarning: (message: string) => void;
}

/** Finished items are stored at most this often: each time the whole record is written. */
const itemsEveryMilliseconds = 250;

/**
 * Keeps the record of one run up to date: before the first step, after each top-level step, and at the end. A record
 * that cannot be written later on is a warning: the run's result is worth more.
 */
export class CheckpointRecorder {
  readonly #options: RecorderOptions;
  #checkpoint: Checkpoint;
  /** How the value after the last finished step will be stored once it is no longer the current one. */
  #passing: PassedValue;
  readonly #items: CheckpointItems;
  readonly #conversation: CheckpointConversation;
  readonly #writer: CheckpointWriter;
  /** Writes follow one another. */
  #writing: Promise<void> = Promise.resolve();
  #itemsTimer: NodeJS.Timeout | undefined;

  constructor(options: RecorderOptions) {
    this.#options = options;
    this.#checkpoint = options.checkpoint;
    this.#passing = { value: options.checkpoint.current_value ?? null };
    const { references } = options;
    const codec = new ValueCodec(references);
    this.#writer = new CheckpointWriter({
      encode: (value) => codec.encode(value),
      mask: (text) => references.mask(text),
      revision: () => references.revision,
    });
    const { items, conversation } = options.checkpoint;
    this.#conversation = new CheckpointConversation(conversation, options.maxToolRounds);
    this.#items = new CheckpointItems(options.keepItems === true ? items : undefined, () =>
      this.#storeItemsSoon(),
    );
  }

  get runId(): string {
    return this.#checkpoint.run_id;
  }

  get checkpoint(): Checkpoint {
    return this.#checkpoint;
  }

  /** What the engine is given as `itemLog`. */
  get itemLog(): ItemLog {
    return this.#items;
  }

  /** What the engine is given as `conversationLog`. */
  get conversationLog(): ConversationLog {
    return this.#conversation;
  }

  /** Writes the record before anything runs. Throws what `CheckpointStore.save` throws: then nothing is begun. */
  async begin(): Promise<void> {
    await this.#save({ failure: undefined });
  }

  /** What the engine is given as `onSnapshot`. */
  readonly onSnapshot = async (snapshot: Snapshot): Promise<void> => {
    const { completedIndex, value, steps, inputs, state, counter } = snapshot;
    const { current_value: before, passed_values: passed } = this.#checkpoint;
    const passed_values = completedIndex === 0 ? passed : [...passed, this.#passing];
    this.#passing = passing(this.#options.plan.body.nodes[completedIndex]?.id, value, before, steps);
    this.#items.clear();
    this.#conversation.clear();
    await this.#saveOrWarn({
      completed_index: completedIndex,
      current_value: value,
      steps_outputs: steps,
      inputs: inputs ?? null,
      state,
      counter,
      passed_values,
    });
  };

  /** Says that the run has ended well. */
  async complete(): Promise<void> {
    await this.#saveOrWarn({ status: 'completed', failure: undefined });
    await this.#options.claim.release();
  }

  /** Says how far the run came and why it went no further. */
  async fail(error: unknown): Promise<void> {
    const step = isLaitError(error) ? error.details.path : undefined;
    const failure: Checkpoint['failure'] = { message: messageChain(error) };
    if (typeof step === 'string') failure.step = step;
    if (isLaitError(error) && error.category === 'cancelled') failure.cancelled = true;
    await this.#saveOrWarn({ failure });
    await this.#options.claim.release();
  }

  #storeItemsSoon(): void {
    this.#itemsTimer ??= setTimeout(() => {
      this.#itemsTimer = undefined;
      void this.#saveOrWarn({});
    }, itemsEveryMilliseconds);
  }

  async #saveOrWarn(changes: Partial<Checkpoint>): Promise<void> {
    try {
      await this.#save(changes);
    } catch (error) {
      this.#options.onWarning(
        `the checkpoint of run '${this.runId}' could not be saved: ${messageChain(explainOverflow(error))}; the record still stands where it was before`,
      );
    }
  }

  #save(changes: Partial<Checkpoint>): Promise<void> {
    clearTimeout(this.#itemsTimer);
    this.#itemsTimer = undefined;
    this.#checkpoint = {
      ...this.#checkpoint,
      ...changes,
      items: this.#items.kept,
      conversation: this.#conversation.kept,
      updated_at: new Date().toISOString(),
    };
    const checkpoint = this.#checkpoint;
    // Written only when the file before it is on the disk: the writer uses its bytes again.
    const written = this.#writing.then(() =>
      this.#options.store.save(checkpoint.run_id, this.#writer.write(checkpoint)),
    );
    this.#writing = written.catch(() => {});
    return written;
  }
}

/** A value that a recorded step or the step before already holds is stored as a reference. */
function passing(id: string | undefined, value: Value, before: Value, steps: JsonObject): PassedValue {
  if (id !== undefined && Object.hasOwn(steps, id) && steps[id] === value) return { step: id };
  return value === before ? { same: true } : { value: value ?? null };
}
