import { randomUUID } from 'node:crypto';
import {
  createServer,
  type Server as HttpServer,
  type IncomingMessage,
  type ServerResponse,
} from 'node:http';
import type { AddressInfo } from 'node:net';
import type { StreamableHTTPServerTransport } from '@modelcontextprotocol/sdk/server/streamableHttp.js';
import { UsageError } from '../../errors/errors.js';
import { HostCheck } from './host-check.js';
import { McpEndpoint, type McpEndpointOptions } from './mcp-endpoint.js';

/** The path of the endpoint. */
const endpointPath = '/mcp';
/** A body may be this long: as long as any file that is read. */
const maxBodyBytes = 16 * 1024 * 1024;
const maxSessions = 1000;
/** A session that nobody has used for this long is forgotten; its client opens a new one. */
const sessionIdleMilliseconds = 30 * 60 * 1000;

export interface ServeHttpOptions extends McpEndpointOptions {
  /** Address to listen on. Default 127.0.0.1: other machines cannot reach it. */
  host?: string;
  /** 0 takes a free one. */
  port: number;
  /** Further names that clients may call us by, as `name` or `name:port`. */
  allowedHosts?: readonly string[];
}

export interface McpHttpServer {
  /** Where clients connect to. */
  url: string;
  /** Cancels the calls under way, awaits them and stops listening. */
  close(): Promise<void>;
}

interface Session {
  transport: StreamableHTTPServerTransport;
  lastUsed: number;
  /** Requests whose answers are not complete. */
  open: number;
}

/**
 * Serves any number of clients over streamable HTTP, each with a session of its own.
 *
 * @throws UsageError `address_unavailable`
 */
export async function serveMcpOverHttp(options: ServeHttpOptions): Promise<McpHttpServer> {
  const { host = '127.0.0.1', port, allowedHosts, onLog } = options;
  const sessions = new Sessions(new McpEndpoint(options));
  const check = new HostCheck(host, allowedHosts);
  const http = createServer((request, response) => {
    handle(request, response, check, sessions).catch((error: Error) => {
      onLog?.(error.message);
      if (!response.headersSent) refuse(response, 500, 'internal error');
      else response.destroy();
    });
  });
  await listen(http, host, port);
  const sweep = setInterval(() => sessions.forgetIdle(), 60_000).unref();
  return {
    url: `http://${printHost(host)}:${(http.address() as AddressInfo).port}${endpointPath}`,
    async close() {
      clearInterval(sweep);
      const closed = new Promise((resolve) => http.close(resolve));
      await sessions.close();
      http.closeAllConnections();
      await closed;
    },
  };
}

async function handle(
  request: IncomingMessage,
  response: ServerResponse,
  check: HostCheck,
  sessions: Sessions,
): Promise<void> {
  const { host, origin } = request.headers;
  if (!check.allowsHost(host)) {
    refuse(response, 403, `the host '${host ?? ''}' is not allowed; see --allowed-host`);
    return;
  }
  if (!check.allowsOrigin(origin)) {
    refuse(response, 403, `the origin '${origin}' is not allowed; see --allowed-host`);
    return;
  }
  if (new URL(request.url ?? '/', 'http://localhost').pathname !== endpointPath) {
    refuse(response, 404, `the endpoint is ${endpointPath}`);
    return;
  }
  const id = request.headers['mcp-session-id'];
  const session = typeof id === 'string' ? sessions.get(id) : await sessions.open();
  if (session === undefined) {
    refuse(
      response,
      typeof id === 'string' ? 404 : 503,
      typeof id === 'string' ? 'unknown session' : 'too many sessions',
    );
    return;
  }
  session.open += 1;
  response.once('close', () => {
    session.open -= 1;
    session.lastUsed = Date.now();
    // A request that opened no session leaves nothing to come back to.
    if (session.transport.sessionId === undefined) void session.transport.close();
  });
  await session.transport.handleRequest(request, response);
}

/** The sessions of all clients. */
class Sessions {
  readonly #endpoint: McpEndpoint;
  readonly #byId = new Map<string, Session>();

  constructor(endpoint: McpEndpoint) {
    this.#endpoint = endpoint;
  }

  get(id: string): Session | undefined {
    const session = this.#byId.get(id);
    if (session !== undefined) session.lastUsed = Date.now();
    return session;
  }

  /** A session that is known by its id once the client has introduced itself; `undefined` when there are too many. */
  async open(): Promise<Session | undefined> {
    if (this.#byId.size >= maxSessions && !this.#forgetOldest()) return undefined;
    const { StreamableHTTPServerTransport } = await import(
      '@modelcontextprotocol/sdk/server/streamableHttp.js'
    );
    const transport = new StreamableHTTPServerTransport({
      sessionIdGenerator: () => randomUUID(),
      maxRequestBodySize: maxBodyBytes,
      onsessioninitialized: (id) => {
        this.#byId.set(id, session);
      },
      onsessionclosed: (id) => {
        this.#byId.delete(id);
      },
    });
    const session: Session = { transport, lastUsed: Date.now(), open: 0 };
    await (await this.#endpoint.createServer()).connect(transport);
    return session;
  }

  forgetIdle(): void {
    const limit = Date.now() - sessionIdleMilliseconds;
    for (const [id, session] of this.#byId) {
      if (session.open === 0 && session.lastUsed < limit) this.#forget(id, session);
    }
  }

  /** Closes every session, which cancels its calls, and awaits these. */
  async close(): Promise<void> {
    for (const [id, session] of this.#byId) this.#forget(id, session);
    await this.#endpoint.idle();
  }

  #forgetOldest(): boolean {
    const idle = [...this.#byId].filter(([, { open }]) => open === 0);
    const [oldest] = idle.sort(([, a], [, b]) => a.lastUsed - b.lastUsed);
    if (oldest !== undefined) this.#forget(...oldest);
    return oldest !== undefined;
  }

  #forget(id: string, session: Session): void {
    this.#byId.delete(id);
    void session.transport.close();
  }
}

function refuse(response: ServerResponse, status: number, message: string): void {
  response.writeHead(status, { 'content-type': 'application/json' });
  response.end(JSON.stringify({ jsonrpc: '2.0', error: { code: -32000, message }, id: null }));
}

function listen(http: HttpServer, host: string, port: number): Promise<void> {
  return new Promise((resolve, reject) => {
    http.once('error', (cause: NodeJS.ErrnoException) => {
      const reason = cause.code === 'EADDRINUSE' ? 'the port is in use' : cause.message;
      reject(
        new UsageError({
          code: 'address_unavailable',
          message: `cannot listen on ${printHost(host)}:${port}: ${reason}`,
        }),
      );
    });
    http.listen({ host, port }, () => resolve());
  });
}

function printHost(host: string): string {
  return host.includes(':') ? `[${host}]` : host;
}
