import type { StreamEvent } from '../../../dialects/dynamic/stream-events.js';
import type { RunEvent } from '../../../engine/events.js';
import { type Frame, streamResponse } from '../../http/event-stream.js';
import type { ServerContext } from '../../server-context.js';
import type { DynamicRun } from './dynamic-run.js';
import { RunHistory } from './run-history.js';

export interface RunStreamOptions {
  run: DynamicRun;
  /** Tells what is logged behind this entry. Default 0: everything. */
  after?: number;
  /** Leaves out so many events from the beginning. */
  skip?: number;
  until: 'ended' | 'parked';
  signal: AbortSignal;
}

/** So many tokens are kept for a client that is slow; what comes meanwhile is left out of its stream. */
const mostTokens = 10_000;

/** A run's stream: each event is JSON with a record separator behind it. Source: dynamic facts §6.2, §7. */
export function runStream(server: ServerContext, options: RunStreamOptions): Response {
  const gone = new AbortController();
  const close = () => gone.abort();
  options.signal.addEventListener('abort', close, { once: true });
  return recordStream(streamEvents(server, { ...options, signal: gone.signal }), () => {
    options.signal.removeEventListener('abort', close);
    close();
  });
}

/** A stream that is known already. */
export function fixedStream(events: readonly StreamEvent[]): Response {
  async function* batches() {
    yield [...events];
  }
  return recordStream(batches(), () => {});
}

function recordStream(batches: AsyncIterable<readonly unknown[]>, onClose: () => void): Response {
  async function* frames(): AsyncGenerator<Frame> {
    for await (const batch of batches)
      if (batch.length > 0) yield batch.map((event) => `${JSON.stringify(event)}\u001e`).join('');
  }
  return streamResponse({ frames: frames(), onClose, contentType: 'text/plain; charset=utf-8' });
}

/** What the log tells, with the tokens of models that run in this process between it. */
async function* streamEvents(
  server: ServerContext,
  { run, after = 0, skip = 0, until, signal }: RunStreamOptions,
): AsyncGenerator<unknown[]> {
  const { run_id: runId } = run.record;
  const history = new RunHistory(await server.catalog.load(run.record), run);
  const tokens = new TokenQueue();
  const unsubscribe = server.engineEvents.subscribe(runId, (event) => tokens.push(event));
  const batches = server.runs.follow(runId, { after: 0, until, signal });
  let left = skip;
  const shown = (events: readonly StreamEvent[]) => {
    const rest = events.slice(left);
    left -= events.length - rest.length;
    return rest.map((event) => server.secrets.maskValue(event as never));
  };
  try {
    let next = batches.next();
    for (;;) {
      const logged = await Promise.race([next, tokens.arrival()]);
      const released = tokens.take((address) => history.hasStarted(address));
      if (released.length > 0) yield shown(released.flatMap((event) => history.live(event)));
      if (logged === undefined) continue;
      if (logged.done === true) return;
      next = batches.next();
      const told: StreamEvent[] = [];
      // How a run ended is in its record by now.
      const current = await server.runs.get(runId);
      for (const entry of logged.value) {
        const events = history.add(entry, current);
        if (entry.seq > after) told.push(...events);
        // What a step says comes before its result, which is a later entry.
        for (const event of tokens.take((address) => history.hasStarted(address)))
          told.push(...history.live(event));
      }
      yield shown(told);
    }
  } finally {
    unsubscribe();
    await batches.return(undefined);
  }
}

class TokenQueue {
  #tokens: Extract<RunEvent, { type: 'model.token' }>[] = [];
  #arrived: (() => void) | undefined;
  #isNew = false;

  push(event: RunEvent): void {
    if (event.type !== 'model.token' || this.#tokens.length >= mostTokens) return;
    this.#tokens.push(event);
    this.#isNew = true;
    this.#arrived?.();
  }

  /** Resolves when there is something new. */
  arrival(): Promise<undefined> {
    return new Promise((resolve) => {
      this.#arrived = () => {
        this.#arrived = undefined;
        this.#isNew = false;
        resolve(undefined);
      };
      if (this.#isNew) this.#arrived();
    });
  }

  /** The tokens of steps that have begun, in order. */
  take(hasStarted: (address: string) => boolean) {
    const taken = this.#tokens.filter(({ address }) => hasStarted(address));
    if (taken.length > 0) this.#tokens = this.#tokens.filter(({ address }) => !hasStarted(address));
    return taken;
  }
}
