import { once } from 'node:events';
import type { Readable, Writable } from 'node:stream';
import { setTimeout as delay } from 'node:timers/promises';
import { McpEndpoint, type McpEndpointOptions } from './mcp-endpoint.js';

/** One message may be this long. */
const maxMessageBytes = 32 * 1024 * 1024;
/** How long calls may go on when the client has closed our input; it ends us by force soon after. */
const farewellMilliseconds = 1000;

export interface ServeStdioOptions extends McpEndpointOptions {
  input: Readable;
  /** Carries messages and nothing else. */
  output: Writable;
  /** Ends serving; calls under way are cancelled and awaited. */
  signal?: AbortSignal;
}

/**
 * Serves one client over standard input and output until it closes our input or the signal fires. Comes back when
 * every call has settled.
 */
export async function serveMcpOverStdio(options: ServeStdioOptions): Promise<void> {
  const { input, output, signal, onLog } = options;
  const endpoint = new McpEndpoint(options);
  const [server, { StdioServerTransport }] = await Promise.all([
    endpoint.createServer(),
    import('@modelcontextprotocol/sdk/server/stdio.js'),
  ]);
  const over = new AbortController();
  const end = () => over.abort();
  signal?.addEventListener('abort', end, { once: true });
  if (signal?.aborted) end();
  // A client that has gone is an end, not a failure.
  output.on('error', end);
  const ended = Promise.race([once(input, 'end'), once(input, 'close'), once(input, 'error')]).catch(
    () => {},
  );
  try {
    await server.connect(new StdioServerTransport(input, output, { maxBufferSize: maxMessageBytes }));
    await Promise.race([ended, whenAborted(over.signal)]);
    if (!over.signal.aborted) {
      await Promise.race([
        endpoint.idle(),
        delay(farewellMilliseconds, undefined, { signal: over.signal, ref: false }).catch(() => {}),
      ]);
    }
  } finally {
    await server.close().catch((error: Error) => onLog?.(error.message));
    await endpoint.idle();
    signal?.removeEventListener('abort', end);
    output.off('error', end);
  }
}

function whenAborted(signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    if (signal.aborted) resolve();
    signal.addEventListener('abort', () => resolve(), { once: true });
  });
}
