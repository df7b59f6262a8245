/** One message of a stream: a frame of `text/event-stream`, or a line of another format. */
export type Frame = string;

export interface EventStreamOptions {
  /** Frames as they come; the stream ends with it. */
  frames: AsyncIterator<Frame>;
  /** What is sent after a while of silence, so that both sides notice a dead connection. */
  heartbeat?: { everyMs: number; frame: Frame };
  /** Called once when the client has gone or everything was sent. */
  onClose(): void;
  contentType?: string;
}

/** A client that takes nothing for this long is given up. */
const stalledMs = 60_000;

/**
 * A response that sends frames as fast as its client takes them, and never holds more than one batch for it: a slow
 * client costs no memory and a dead one is given up.
 */
export function streamResponse(options: EventStreamOptions): Response {
  const { frames, heartbeat, contentType = 'text/event-stream; charset=utf-8' } = options;
  const encoder = new TextEncoder();
  let next: Promise<IteratorResult<Frame>> | undefined;
  let stalled: NodeJS.Timeout | undefined;
  let closed = false;
  const close = () => {
    if (closed) return;
    closed = true;
    clearTimeout(stalled);
    options.onClose();
    // Whoever makes the frames may wait to be asked for the next one.
    void frames.return?.();
  };
  const body = new ReadableStream<Uint8Array>(
    {
      async pull(controller) {
        clearTimeout(stalled);
        next ??= frames.next();
        const result = await orSilence(next, heartbeat?.everyMs);
        if (closed) return;
        if (result === 'silence') controller.enqueue(encoder.encode(heartbeat!.frame));
        else {
          next = undefined;
          if (result.done === true) {
            close();
            controller.close();
            return;
          }
          controller.enqueue(encoder.encode(result.value));
        }
        stalled = setTimeout(() => {
          close();
          controller.error(new Error('the client takes nothing'));
        }, stalledMs).unref();
      },
      cancel: close,
    },
    { highWaterMark: 0 },
  );
  return new Response(body, {
    headers: {
      'content-type': contentType,
      'cache-control': 'no-cache, no-transform',
      'x-accel-buffering': 'no',
    },
  });
}

async function orSilence<T>(next: Promise<T>, everyMs: number | undefined): Promise<T | 'silence'> {
  if (everyMs === undefined) return next;
  let timer: NodeJS.Timeout | undefined;
  const silence = new Promise<'silence'>((resolve) => {
    timer = setTimeout(resolve, everyMs, 'silence');
  });
  try {
    return await Promise.race([next, silence]);
  } finally {
    clearTimeout(timer);
  }
}

/** A frame of `text/event-stream`. */
export function eventFrame({ id, event, data }: { id?: number; event?: string; data: unknown }): Frame {
  const head = `${id === undefined ? '' : `id: ${id}\n`}${event === undefined ? '' : `event: ${event}\n`}`;
  return `${head}data: ${JSON.stringify(data)}\n\n`;
}

/** Number of the last event that a client has seen: the header wins over the query, and junk counts as none. */
export function lastEventId(headers: Headers, url: URL): number {
  const text = headers.get('last-event-id') ?? url.searchParams.get('last_event_id') ?? '';
  return /^\d{1,10}$/.test(text) ? Number(text) : 0;
}
