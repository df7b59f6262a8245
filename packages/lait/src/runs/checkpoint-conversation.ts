import type { ConversationLog, StoppedConversation } from '../kinds/kind.js';
import type { KeptConversation } from './checkpoint.js';

/**
 * Keeps the conversation that the step under way had to stop. What an earlier pass has kept is given back once: a
 * second try of the step in this run (a retry) begins anew. Source: steps seed, ツール連携; field report FR-16.
 */
export class CheckpointConversation implements ConversationLog {
  #kept: KeptConversation | undefined;
  /** What the resumed record holds, until its step has asked for it. */
  #earlier: KeptConversation | undefined;

  /** `maxToolRounds`: how many more exchanges the conversation may have. Default: as many as the step says. */
  constructor(
    earlier: KeptConversation | undefined,
    private readonly maxToolRounds: number | undefined,
  ) {
    this.#earlier = earlier;
    this.#kept = earlier;
  }

  /** What to store now. */
  get kept(): KeptConversation | undefined {
    return this.#kept;
  }

  open(step: string): ReturnType<ConversationLog['open']> {
    const earlier = this.#earlier;
    if (earlier?.step !== step) return undefined;
    this.#earlier = undefined;
    const { messages, cut_results: cutResults } = earlier;
    return { messages, cutResults, maxToolRounds: this.maxToolRounds };
  }

  keep(step: string, { messages, cutResults }: StoppedConversation): void {
    this.#kept = { step, messages: [...messages], cut_results: cutResults };
  }

  /** A step has ended: its value is recorded. */
  clear(): void {
    this.#kept = undefined;
  }
}
