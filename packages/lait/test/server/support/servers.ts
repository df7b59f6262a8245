import { afterEach } from 'vitest';
import { startTestServer, type TestServer, type TestServerOptions } from './test-server.js';

const running: TestServer[] = [];
afterEach(() => stopServers());

/** A server that is stopped behind the test. */
export async function serverWith(options: TestServerOptions = {}): Promise<TestServer> {
  const server = await startTestServer(options);
  running.push(server);
  return server;
}

/** Stops the servers of a test before it ends. */
export async function stopServers(): Promise<void> {
  for (const server of running.splice(0)) await server.stop();
}
