import type { ModelTokenEvent, RunEvent } from '../../engine/events.js';
import type { NodePlaces } from '../../runs/node-places.js';
import { MaskedStream } from '../../values/masked-stream.js';
import type { SecretRegistry } from '../../values/secrets.js';
import { TokenQueue } from './token-queue.js';

/** One reply as it arrives. */
interface OpenReply {
  address: string;
  token: ModelTokenEvent;
  text: MaskedStream;
}

/**
 * What models write in the runs that this process works on, while they write it: beside the logs, kept nowhere, and
 * only for those who listen at the moment. Secrets are masked over the whole of a reply, not in each piece alone.
 */
export class RunTokens {
  readonly #listeners = new Map<string, Set<TokenQueue>>();
  readonly #replies = new Map<string, Map<string, OpenReply>>();

  constructor(private readonly secrets: SecretRegistry) {}

  /** How many runs somebody listens to. */
  get size(): number {
    return this.#listeners.size;
  }

  /** Takes an engine event of a run. */
  handle(runId: string, event: RunEvent, places: NodePlaces): void {
    if (event.type === 'model.token') this.#add(runId, event, places);
    else if (event.type === 'model.responded' || event.type === 'model.failed')
      this.#end(runId, event.address, places);
  }

  /** What is written from now on. The queue is closed by whoever opened it. */
  open(runId: string): TokenQueue {
    const listeners = this.#listeners.get(runId) ?? new Set();
    this.#listeners.set(runId, listeners);
    const queue = new TokenQueue(() => {
      listeners.delete(queue);
      if (listeners.size === 0 && this.#listeners.get(runId) === listeners) this.#listeners.delete(runId);
    });
    listeners.add(queue);
    return queue;
  }

  #add(runId: string, token: ModelTokenEvent, places: NodePlaces): void {
    const replies = this.#replies.get(runId) ?? new Map<string, OpenReply>();
    this.#replies.set(runId, replies);
    const { address, requestName, reasoning } = token;
    const key = JSON.stringify([address, requestName, reasoning === true]);
    const reply = replies.get(key) ?? { address, token, text: new MaskedStream(this.secrets) };
    replies.set(key, reply);
    this.#tell(runId, { ...token, text: reply.text.add(token.text) }, places);
  }

  /** A step makes one request after the other: with its answer every reply at the address is over. */
  #end(runId: string, address: string, places: NodePlaces): void {
    const replies = this.#replies.get(runId);
    if (replies === undefined) return;
    for (const [key, reply] of replies) {
      if (reply.address !== address) continue;
      replies.delete(key);
      this.#tell(runId, { ...reply.token, text: reply.text.end() }, places);
    }
    if (replies.size === 0) this.#replies.delete(runId);
  }

  #tell(runId: string, token: ModelTokenEvent, places: NodePlaces): void {
    const listeners = this.#listeners.get(runId);
    if (token.text === '' || listeners === undefined) return;
    const place = places.at(token.address);
    for (const queue of listeners) queue.push({ token, place });
  }
}
