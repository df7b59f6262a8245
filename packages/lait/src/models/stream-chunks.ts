import type { JsonValue } from '../values/value.js';
import { modelError } from './model-error.js';

/**
 * The chunks of a streamed reply: server-sent events with JSON in them, up to `[DONE]`, whatever
 * becomes of the connection then. Characters may be cut anywhere between two pieces.
 * Throws a `ModelError` (code `model_stream_malformed`) for what is not JSON.
 */
export async function* streamChunks(pieces: AsyncIterable<Uint8Array>): AsyncGenerator<JsonValue> {
  const { createParser } = await import('eventsource-parser');
  const decoder = new TextDecoder();
  const arrived: string[] = [];
  const parser = createParser({ onEvent: ({ data }) => arrived.push(data) });
  for await (const piece of pieces) {
    parser.feed(decoder.decode(piece, { stream: true }));
    for (const data of arrived.splice(0)) {
      if (data.startsWith('[DONE]')) return;
      yield parsed(data);
    }
  }
}

function parsed(data: string): JsonValue {
  try {
    return JSON.parse(data);
  } catch {
    throw modelError('model_stream_malformed', 'the stream carried something that is not JSON');
  }
}
