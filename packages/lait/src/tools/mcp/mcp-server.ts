import type { CallToolResult, Tool } from '@modelcontextprotocol/sdk/types.js';
import { StepError } from '../../errors/errors.js';
import { isLaitError } from '../../errors/lait-error.js';
import { withDeadline } from '../../errors/with-deadline.js';
import type { JsonObject } from '../../values/value.js';
import { requireWritable } from '../../values/value-size.js';
import { toolTimeout } from '../tool-timeout.js';
import { untilAborted } from '../until-aborted.js';
import { type ConnectionOptions, McpConnection } from './connection.js';
import type { McpServerSettings } from './mcp-server-settings.js';
import { NotDeliveredError } from './process-transport.js';

const defaultStartSeconds = 30;
const defaultCallSeconds = 60;

export interface McpCallOptions {
  signal: AbortSignal;
  /** Sent along as `_meta`, for servers that can recognise a repetition. Field report FR-10. */
  idempotencyKey: string;
}

/**
 * One entry of `mcp_servers:` within one run: started when it is first needed, one connection for all, a new one after
 * a crash, a failed or a timed-out call. Source: steps facts §13.
 */
export class McpServer {
  readonly name: string;
  readonly #settings: McpServerSettings;
  readonly #options: ConnectionOptions;
  readonly #closing = new AbortController();
  readonly #ending = new Set<Promise<void>>();
  #connection: Promise<McpConnection> | undefined;
  /** What `#connection` came to. */
  #current: McpConnection | undefined;

  constructor(name: string, settings: McpServerSettings, options: ConnectionOptions) {
    this.name = name;
    this.#settings = settings;
    this.#options = options;
  }

  /** Every tool the server offers. Throws a `StepError` (`mcp_start_failed`, `mcp_failed`) or a `TimeoutError`. */
  async tools(signal: AbortSignal): Promise<readonly Tool[]> {
    const connection = await this.#connect(signal);
    try {
      return await untilAborted(connection.tools(), signal);
    } catch (error) {
      if (signal.aborted) throw signal.reason;
      throw this.#failure(connection, 'could not list its tools', error);
    }
  }

  /** True when `allowed_tools` lets the tool be called: absent means all, empty means none. */
  allows(tool: string): boolean {
    const { allowed_tools: allowed } = this.#settings;
    return allowed === undefined || allowed.includes(tool);
  }

  /**
   * Calls a tool. An answer with an error code is a result with `isError`, like one that the tool itself gave: the
   * server is well, the call was not.
   *
   * @throws StepError `mcp_tool_not_allowed`, `mcp_start_failed`, `mcp_failed`; TimeoutError `tool_timeout`; for arguments
   * that could not be written a LaitError `value_too_large`
   */
  async call(tool: string, arguments_: JsonObject, options: McpCallOptions): Promise<CallToolResult> {
    if (!this.allows(tool)) {
      throw new StepError({
        code: 'mcp_tool_not_allowed',
        message: `the tool '${tool}' is not among allowed_tools of the MCP server '${this.name}'`,
      });
    }
    requireWritable(arguments_);
    const { signal, idempotencyKey } = options;
    const { timeout = defaultCallSeconds } = this.#settings;
    for (let attempt = 1; ; attempt += 1) {
      const connection = await this.#connect(signal);
      try {
        return await withDeadline(timeout, signal, toolTimeout(this.#title(tool), timeout), (limited) =>
          connection.call(tool, arguments_, {
            signal: limited,
            meta: { 'lait/idempotencyKey': idempotencyKey },
          }),
        );
      } catch (error) {
        if (signal.aborted) throw signal.reason;
        if (attempt === 1 && isUndelivered(error)) {
          this.#drop(connection);
          continue;
        }
        if (!connection.closed && (await isAnswer(error))) {
          return { isError: true, content: [{ type: 'text', text: (error as Error).message }] };
        }
        throw this.#failure(connection, `failed in a call of '${tool}'`, error);
      }
    }
  }

  /** Shuts the server and its process tree down. */
  async close(): Promise<void> {
    this.#closing.abort(new StepError({ code: 'mcp_failed', message: `the run of '${this.name}' is over` }));
    const connection = this.#connection;
    this.#connection = undefined;
    await Promise.allSettled([connection?.then((open) => open.close()), ...this.#ending]);
  }

  #connect(signal: AbortSignal): Promise<McpConnection> {
    const open = this.#connection;
    if (open !== undefined)
      return untilAborted(
        open.then((known) => this.#reuse(known, signal)),
        signal,
      );
    return untilAborted(this.#start(), signal);
  }

  /** A connection that has gone since is replaced, once, however many callers find it gone. */
  #reuse(known: McpConnection, signal: AbortSignal): McpConnection | Promise<McpConnection> {
    if (!known.closed) return known;
    if (this.#current === known) this.#drop(known);
    return this.#connect(signal);
  }

  #start(): Promise<McpConnection> {
    const { startup_timeout: seconds = defaultStartSeconds } = this.#settings;
    const timeout = toolTimeout(`starting ${this.#title()}`, seconds);
    const opening = withDeadline(seconds, this.#closing.signal, timeout, (signal) =>
      McpConnection.open(this.name, this.#settings, this.#options, signal),
    ).then(
      (connection) => {
        this.#current = connection;
        return connection;
      },
      (cause: unknown) => {
        if (this.#connection === opening) this.#connection = undefined;
        if (isLaitError(cause) && (cause.category === 'timeout' || cause.category === 'definition'))
          throw cause;
        throw new StepError({
          code: 'mcp_start_failed',
          message: `${this.#title()} could not be started${httpStatus(cause)}`,
          cause,
        });
      },
    );
    this.#connection = opening;
    return opening;
  }

  /** Forgets a connection; it is closed as soon as nobody waits for an answer of it. */
  #drop(connection: McpConnection): void {
    if (this.#current === connection) {
      this.#connection = undefined;
      this.#current = undefined;
    }
    const ending = connection.closeWhenIdle().finally(() => this.#ending.delete(ending));
    this.#ending.add(ending);
  }

  #failure(connection: McpConnection, what: string, cause: unknown): Error {
    this.#drop(connection);
    if (isLaitError(cause) && cause.category === 'timeout') return cause;
    const { obituary } = connection;
    return new StepError({
      code: 'mcp_failed',
      message: `${this.#title()} ${what}${obituary === '' ? '' : ` (${obituary})`}${httpStatus(cause)}`,
      cause,
    });
  }

  #title(tool?: string): string {
    return tool === undefined
      ? `the MCP server '${this.name}'`
      : `'${tool}' of the MCP server '${this.name}'`;
  }
}

/**
 * True when the server has not looked at the call, so that repeating it is safe: its process had ended before, or it
 * has forgotten our session, for which the protocol asks to open a new one.
 */
function isUndelivered(error: unknown): boolean {
  return error instanceof NotDeliveredError || (error as { code?: unknown }).code === 404;
}

/** The status that a server over HTTP refused with; the SDK keeps it out of the message. */
function httpStatus(error: unknown): string {
  const { name, code } = error as { name?: unknown; code?: unknown };
  return typeof code === 'number' && code >= 300 && code < 600 && name !== 'McpError'
    ? ` (HTTP ${code})`
    : '';
}

/** True for an error that the server answered with, and not one of the way to it. */
async function isAnswer(error: unknown): Promise<boolean> {
  const { McpError } = await import('@modelcontextprotocol/sdk/types.js');
  return error instanceof McpError;
}
