import { fork } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';

/** Starts the model server in a process of its own. `close` ends it. */
export async function startModelServer(latencyMs) {
  const server = fork(fileURLToPath(new URL('model-server.mjs', import.meta.url)), [String(latencyMs)]);
  const [port] = await once(server, 'message');
  return { baseUrl: `http://127.0.0.1:${port}/v1`, close: () => server.kill() };
}
