import type { StreamEvent } from '../../../dialects/dynamic/stream-events.js';
import { besideTokens } from '../../events/beside-tokens.js';
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
  const tokens = server.runTokens.open(runId);
  // What a step says comes behind its start and before its result, which are entries.
  const said = () =>
    tokens
      .take(({ address }) => history.hasStarted(address))
      .tokens.flatMap(({ token }) => history.live(token));
  let left = skip;
  const shown = (events: readonly StreamEvent[]) => {
    const rest = events.slice(left);
    left -= events.length - rest.length;
    return rest.map((event) => server.secrets.maskValue(event as never));
  };
  for await (const batch of besideTokens(server.runs.follow(runId, { after: 0, until, signal }), tokens)) {
    const told = said();
    // How a run ended is in its record by now.
    const current = batch === undefined ? undefined : await server.runs.get(runId);
    for (const entry of batch ?? []) {
      const events = history.add(entry, current!);
      if (entry.seq > after) told.push(...events);
      told.push(...said());
    }
    yield shown(told);
  }
}
