import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pino } from 'pino';
import { buildServices, type ServiceOptions } from '../../../src/config/build-services.js';
import type { ConfigurationValues } from '../../../src/config/configuration.js';
import { openDatabase } from '../../../src/runs/stores/database/open-database.js';
import { SqlRunStore } from '../../../src/runs/stores/sql/sql-run-store.js';
import { createServerContext } from '../../../src/server/create-server-context.js';
import type { RouteGroup } from '../../../src/server/http/route.js';
import type { ServerContext } from '../../../src/server/server-context.js';
import { defaultServerSettings, type ServerSettings } from '../../../src/server/server-settings.js';
import { startServer } from '../../../src/server/start-server.js';
import { v1 } from '../../../src/server/v1.js';
import { SecretRegistry } from '../../../src/values/secrets.js';

export interface TestServerOptions {
  /** Default: a SQLite file in a directory of its own. */
  database?: string;
  config?: ConfigurationValues;
  settings?: Partial<ServerSettings>;
  services?: Pick<ServiceOptions, 'tools' | 'agents' | 'capabilities' | 'streaming'>;
  groups?: readonly RouteGroup[];
  secrets?: SecretRegistry;
  directory?: string;
  /** Lines of the log, as they come. */
  onLog?: (line: string) => void;
}

export interface TestServer {
  url: string;
  context: ServerContext;
  directory: string;
  /** Sends a request and reads the JSON of its response. */
  call(method: string, path: string, body?: unknown, headers?: Record<string, string>): Promise<TestAnswer>;
  stop(): Promise<void>;
}

export interface TestAnswer {
  status: number;
  headers: Headers;
  // biome-ignore lint/suspicious/noExplicitAny: tests look into whatever came
  body: any;
}

/** A real server on a free port of this machine, over a real database. */
export async function startTestServer(options: TestServerOptions = {}): Promise<TestServer> {
  const directory = options.directory ?? (await mkdtemp(join(tmpdir(), 'lait-server-')));
  const database = await openDatabase(options.database ?? join(directory, 'lait.db'));
  const configuration = { values: options.config ?? {}, files: [] };
  const secrets = options.secrets ?? new SecretRegistry();
  const services = buildServices({
    configuration,
    environment: { variables: { PATH: process.env.PATH }, workingDirectory: directory },
    secrets,
    ...options.services,
  });
  const { onLog } = options;
  const context = createServerContext({
    database,
    store: new SqlRunStore(database),
    services,
    configuration,
    settings: { ...defaultServerSettings, pollMs: 100, stopGraceMs: 2000, ...options.settings },
    workingDirectory: directory,
    secrets,
    logger: onLog === undefined ? pino({ enabled: false }) : pino({}, { write: onLog }),
    version: '0.0.0-test',
  });
  const server = await startServer({ context, groups: options.groups ?? [v1], port: 0 });
  return {
    url: server.url,
    context,
    directory,
    async call(method, path, body, headers = {}) {
      const response = await fetch(`${server.url}${path}`, {
        method,
        headers: { ...(body !== undefined && { 'content-type': 'application/json' }), ...headers },
        ...(body !== undefined && { body: typeof body === 'string' ? body : JSON.stringify(body) }),
      });
      const text = await response.text();
      return {
        status: response.status,
        headers: response.headers,
        body: text === '' ? undefined : JSON.parse(text),
      };
    },
    async stop() {
      await server.stop();
      await services.close();
      await database.close();
      if (options.directory === undefined) await rm(directory, { recursive: true, force: true });
    },
  };
}

/** Waits until something holds, asking again and again. */
export async function until<T>(what: () => Promise<T | undefined | false>, timeoutMs = 20_000): Promise<T> {
  const end = Date.now() + timeoutMs;
  for (;;) {
    const found = await what();
    if (found !== undefined && found !== false) return found as T;
    if (Date.now() > end) throw new Error('waited too long');
    await new Promise((resolve) => setTimeout(resolve, 20));
  }
}

/** A run once it stands so. */
export function runWhen(
  server: TestServer,
  runId: string,
  ...statuses: string[]
): Promise<TestAnswer['body']> {
  return until(async () => {
    const { body } = await server.call('GET', `/v1/runs/${runId}?nodes=true`);
    return statuses.includes(body.status) ? body : undefined;
  });
}
