import type { RunLogEvent } from '../../runs/run-record.js';
import type { SecretRegistry } from '../../values/secrets.js';
import { besideTokens } from '../events/beside-tokens.js';
import type { TokenQueue } from '../events/token-queue.js';
import type { ServerContext } from '../server-context.js';
import { eventFrame, type Frame, lastEventId, streamResponse } from './event-stream.js';
import type { RouteRequest } from './route.js';

export interface RunEventStreamOptions {
  runId: string;
  until?: 'ended' | 'parked';
  /** Tells between the entries what models write in this process, as events without an `id`. Default false. */
  tokens?: boolean;
  /** How an event looks on the wire. Default: `id`, `event`, and the whole entry as `data`. */
  frameOf?: (event: RunLogEvent) => Frame;
}

/**
 * The log of a run as server-sent events, from behind the client's `Last-Event-ID` on, with heartbeats. Throws
 * `run_not_found` before anything is sent.
 */
export async function runEventStream(
  request: Pick<RouteRequest<unknown, unknown, unknown>, 'headers' | 'url' | 'signal'>,
  server: ServerContext,
  { runId, until, tokens = false, frameOf = ownFrame }: RunEventStreamOptions,
): Promise<Response> {
  await server.runs.get(runId);
  const gone = new AbortController();
  const close = () => gone.abort();
  request.signal.addEventListener('abort', close, { once: true });
  const batches = server.runs.follow(runId, {
    after: lastEventId(request.headers, request.url),
    ...(until !== undefined && { until }),
    signal: gone.signal,
  });
  const framesOf = (batch: readonly RunLogEvent[]): Frame =>
    batch.map((event) => frameOf(server.secrets.maskValue(event as never))).join('');
  async function* logFrames(): AsyncGenerator<Frame> {
    for await (const batch of batches) yield framesOf(batch);
  }
  async function* framesWithTokens(): AsyncGenerator<Frame> {
    const queue = server.runTokens.open(runId);
    for await (const batch of besideTokens(batches, queue)) {
      const frame = tokenFrames(queue, server.secrets) + framesOf(batch ?? []);
      if (frame !== '') yield frame;
    }
  }
  return streamResponse({
    frames: tokens ? framesWithTokens() : logFrames(),
    heartbeat: { everyMs: server.settings.heartbeatMs, frame: ': heartbeat\n\n' },
    onClose: () => {
      request.signal.removeEventListener('abort', close);
      close();
    },
  });
}

function ownFrame({ seq, event_type, created_at, payload }: RunLogEvent): Frame {
  return eventFrame({ id: seq, event: event_type, data: { seq, type: event_type, at: created_at, payload } });
}

/** Tokens have no `id`: a client that comes back goes on behind the last entry of the log that it has seen. */
function tokenFrames(queue: TokenQueue, secrets: SecretRegistry): Frame {
  const { tokens, skipped } = queue.take();
  const frames = tokens.map(({ token: { address, label, requestName, text, reasoning = false }, place }) => {
    const type = 'model.token';
    const { node_id = null, activation_id = null } = place ?? {};
    const about = { node_id, activation_id, address, label, request_name: requestName };
    return eventFrame({ event: type, data: secrets.maskValue({ type, ...about, text, reasoning }) });
  });
  const type = 'model.tokens_skipped';
  if (skipped > 0) frames.push(eventFrame({ event: type, data: { type, characters: skipped } }));
  return frames.join('');
}
