import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { getRequestListener, type HttpBindings } from '@hono/node-server';
import { UsageError } from '../errors/errors.js';
import { AccessControl } from './access/access-control.js';
import type { BackgroundService } from './background-service.js';
import type { RouteGroup } from './http/route.js';
import { createServerApplication } from './http/server-application.js';
import { sendText } from './http/text-response.js';
import type { ServerContext } from './server-context.js';

export interface StartServerOptions {
  context: ServerContext;
  groups: readonly RouteGroup[];
  background?: readonly BackgroundService[];
  /** Address to listen on. Default 127.0.0.1: other machines cannot reach it. */
  host?: string;
  /** 0 takes a free one. Default 4747. */
  port?: number;
}

export interface RunningServer {
  url: string;
  /** Stops taking requests and work, lets runs end, park or be interrupted, and waits for all of it. */
  stop(): Promise<void>;
}

/** A client that does not get its request out in this time is given up. */
const headersTimeoutMs = 20_000;
const requestTimeoutMs = 60_000;
/** So many connections may wait to be taken. */
const backlog = 4096;

/**
 * Listens, and begins to work on runs. Throws a `UsageError`: `address_unavailable`, or `tokens_missing` for an address
 * that other machines reach while there is no token.
 */
export async function startServer(options: StartServerOptions): Promise<RunningServer> {
  const { context, groups, background = [], host = '127.0.0.1', port = 4747 } = options;
  const { settings, logger } = context;
  const isLocal = isLoopback(host);
  if (!isLocal && !(await context.tokens.hasUsable()))
    throw new UsageError({
      code: 'tokens_missing',
      message: `other machines reach ${host}, and there is no token: make one with \`lait tokens create NAME --scope admin\` first`,
    });
  const access = new AccessControl({
    host,
    allowedHosts: settings.allowedHosts,
    trustLocal: isLocal && !settings.requireToken,
    rateLimit: settings.rateLimit,
    tokens: context.tokens,
    audit: context.audit,
  });
  const application = createServerApplication({ server: context, access, groups });
  const answer = async (request: Request, bindings: unknown) => {
    const env = bindings as HttpBindings;
    return sendText(await application.fetch(request, env), env.outgoing);
  };
  const http = createServer(getRequestListener(answer, { overrideGlobalObjects: false }));
  http.headersTimeout = headersTimeoutMs;
  http.requestTimeout = requestTimeoutMs;
  // Longer than clients keep idle connections: none is closed while its client sends on it.
  http.keepAliveTimeout = 65_000;
  // A connection whose other end is gone is noticed by the system.
  http.on('connection', (socket) => socket.setKeepAlive(true, 30_000));
  await new Promise<void>((resolve, reject) => {
    http.once('error', (cause: NodeJS.ErrnoException) => {
      const reason = cause.code === 'EADDRINUSE' ? 'the port is in use' : cause.message;
      reject(
        new UsageError({
          code: 'address_unavailable',
          message: `cannot listen on ${host}:${port}: ${reason}`,
        }),
      );
    });
    http.listen({ host, port, backlog }, resolve);
  });
  http.on('error', (error) => logger.error({ err: { message: error.message } }, 'the listener failed'));
  context.workers.start();
  for (const service of background) service.start();
  const { port: bound } = http.address() as AddressInfo;
  const url = `http://${host.includes(':') ? `[${host}]` : host}:${bound}`;
  logger.info({ url, worker: settings.concurrency }, 'listening');
  return {
    url,
    async stop() {
      const runs = context.workers.active.length;
      const grace = Math.round(settings.stopGraceMs / 1000);
      const waiting = `: ${runs} run(s) may go on for ${grace} s; a second signal ends the server at once`;
      logger.info({ runs }, `stopping${runs === 0 ? '' : waiting}`);
      const closed = new Promise((resolve) => http.close(resolve));
      http.closeIdleConnections();
      await Promise.all(background.map((service) => service.stop()));
      await context.workers.stop(settings.stopGraceMs);
      await context.usage.flush();
      // Streams do not end by themselves; requests had their time.
      http.closeAllConnections();
      await closed;
      logger.info({}, 'stopped');
    },
  };
}

/** Whether only programs of this machine reach an address. */
export function isLoopback(host: string): boolean {
  return host === 'localhost' || host === '::1' || /^127\./.test(host);
}
