import type { NewRunEvent, RunLogEvent } from '../../runs/run-record.js';
import { isParked, isTerminal, type RunStatus } from '../../runs/run-status.js';
import type { RunStore } from '../../runs/run-store.js';

/** So many of a run's newest events are kept for those who follow it. */
const keptEvents = 1000;
/** So many events are read at once. */
const batchSize = 500;

export interface FollowOptions {
  /** Number of the last event that the listener has seen. Default 0: from the start. */
  after?: number;
  /** When to stop listening: when the run has ended, or also when it waits for somebody. Default `ended`. */
  until?: 'ended' | 'parked';
  signal: AbortSignal;
}

/**
 * The logs of runs as they grow. Listeners of one run share its reads; what another process writes is found by looking
 * every now and then.
 */
export class RunFeeds {
  readonly #feeds = new Map<string, RunFeed>();

  constructor(
    private readonly store: RunStore,
    private readonly pollMs: number,
  ) {}

  /** How many runs somebody follows. */
  get size(): number {
    return this.#feeds.size;
  }

  /** Says that this process has written to a run's log. */
  notify(runId: string): void {
    this.#feeds.get(runId)?.wake();
  }

  /** Batches of events in order and without gaps, as they happen; ends as `until` says. */
  async *follow(
    runId: string,
    { after = 0, until = 'ended', signal }: FollowOptions,
  ): AsyncGenerator<RunLogEvent[]> {
    let feed = this.#feeds.get(runId);
    if (feed === undefined) {
      feed = new RunFeed(runId, this.store, this.pollMs);
      this.#feeds.set(runId, feed);
    }
    feed.listeners += 1;
    try {
      let seen = (await this.#isEvent(runId, after)) ? after : 0;
      let quiet = false;
      while (!signal.aborted) {
        const batch = await feed.next(seen);
        if (batch.length > 0) {
          quiet = false;
          seen = batch.at(-1)!.seq;
          yield batch;
          continue;
        }
        const { status } = feed;
        const over = status === undefined || isTerminal(status) || (until === 'parked' && isParked(status));
        // What belongs to the end may be logged right behind it.
        if (over && quiet) return;
        quiet = over;
        await feed.change(signal);
      }
    } finally {
      feed.listeners -= 1;
      if (feed.listeners === 0) {
        feed.close();
        this.#feeds.delete(runId);
      }
    }
  }

  /** A number that no event of the run has is worth nothing as a cursor. */
  async #isEvent(runId: string, seq: number): Promise<boolean> {
    if (!Number.isSafeInteger(seq) || seq <= 0 || seq > 2_147_483_647) return false;
    return (await this.store.events(runId, { after: seq - 1, limit: 1 })).length > 0;
  }
}

class RunFeed {
  listeners = 0;
  /** Where the run stands by the events that were read; undefined once it is gone. */
  status: RunStatus | undefined;
  #events: RunLogEvent[] = [];
  /** Number of the last event that was read. */
  #last: number | undefined;
  #reading: Promise<void> | undefined;
  #stale = true;
  readonly #waiting = new Set<() => void>();
  readonly #timer: NodeJS.Timeout;

  constructor(
    private readonly runId: string,
    private readonly store: RunStore,
    pollMs: number,
  ) {
    this.#timer = setInterval(() => this.wake(), pollMs);
    this.#timer.unref();
  }

  wake(): void {
    this.#stale = true;
    for (const tell of this.#waiting) tell();
    this.#waiting.clear();
  }

  /** Resolves when there may be something new. */
  change(signal: AbortSignal): Promise<void> {
    return new Promise((resolve) => {
      const done = () => {
        signal.removeEventListener('abort', done);
        this.#waiting.delete(done);
        resolve();
      };
      this.#waiting.add(done);
      signal.addEventListener('abort', done, { once: true });
      if (this.#stale || signal.aborted) done();
    });
  }

  /** The events behind the given one, as many as are at hand; none when there are none yet. */
  async next(after: number): Promise<RunLogEvent[]> {
    if (this.#last === undefined || (after >= this.#last && this.#stale)) await this.#read(after);
    const [first] = this.#events;
    if (first !== undefined && after >= first.seq - 1) return this.#events.slice(after - first.seq + 1);
    if (this.#last !== undefined && after >= this.#last) return [];
    return this.store.events(this.runId, { after, limit: batchSize });
  }

  close(): void {
    clearInterval(this.#timer);
    this.wake();
  }

  #read(from: number): Promise<void> {
    this.#reading ??= this.#load(from).finally(() => {
      this.#reading = undefined;
    });
    return this.#reading;
  }

  async #load(from: number): Promise<void> {
    this.#stale = false;
    if (this.#last === undefined) this.status = (await this.store.read(this.runId, 'show'))?.status;
    const batch = await this.store.events(this.runId, { after: this.#last ?? from, limit: batchSize });
    this.#last = batch.at(-1)?.seq ?? this.#last ?? from;
    // A full batch may not be all.
    if (batch.length === batchSize) this.#stale = true;
    for (const event of batch) this.status = statusOf(event) ?? this.status;
    this.#events.push(...batch);
    if (this.#events.length > keptEvents) this.#events.splice(0, this.#events.length - keptEvents);
  }
}

/** The status that an event tells of. */
function statusOf({ event_type, payload }: NewRunEvent): RunStatus | undefined {
  if (event_type === 'run_created' || event_type === 'run_status_changed') return payload.status as RunStatus;
  return event_type === 'run_cancel_requested' ? (payload.to as RunStatus) : undefined;
}
