import type { RunLogEvent } from '../../runs/run-record.js';
import type { ServerContext } from '../server-context.js';
import { eventFrame, type Frame, lastEventId, streamResponse } from './event-stream.js';
import type { RouteRequest } from './route.js';

export interface RunEventStreamOptions {
  runId: string;
  until?: 'ended' | 'parked';
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
  { runId, until, frameOf = ownFrame }: RunEventStreamOptions,
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
  async function* frames(): AsyncGenerator<Frame> {
    for await (const batch of batches)
      yield batch.map((event) => frameOf(server.secrets.maskValue(event as never))).join('');
  }
  return streamResponse({
    frames: frames(),
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
