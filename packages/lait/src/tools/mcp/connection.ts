import type { Client } from '@modelcontextprotocol/sdk/client/index.js';
import type { Transport } from '@modelcontextprotocol/sdk/shared/transport.js';
import type { CallToolResult, Tool } from '@modelcontextprotocol/sdk/types.js';
import type { Environment } from '../../kinds/services.js';
import { networkFetch } from '../../network/network-fetch.js';
import { expandVariables } from '../../values/expand-variables.js';
import type { JsonObject } from '../../values/value.js';
import { expandAll } from '../environment.js';
import { secretValues } from '../secret-values.js';
import { untilAborted } from '../until-aborted.js';
import type { McpServerSettings } from './mcp-server-settings.js';
import { ProcessTransport } from './process-transport.js';

/** More pages or tools than these are a server that lists without end. */
const maxPages = 200;
const maxTools = 5000;
/** One page of the list; it is shared, so that no caller's signal bounds it. */
const listMilliseconds = 60_000;
/** Calls are bounded by their caller's signal and not by the SDK's own limit. */
const noLimit = 2_147_483_647;

export interface ConnectionOptions {
  environment: Environment;
  onLog: (line: string) => void;
  /** Told the secrets among headers and variables. */
  onSecret: (value: string) => void;
  clientVersion: string;
}

/** One live connection to a server. Its methods throw the errors of the SDK; `McpServer` gives them their meaning. */
export class McpConnection {
  /** True once the connection cannot be used any more. */
  closed = false;
  #active = 0;
  #idle: (() => void) | undefined;
  #retiring: Promise<void> | undefined;
  #tools: Promise<readonly Tool[]> | undefined;

  private constructor(
    private readonly client: Client,
    private readonly transport: Transport,
  ) {}

  /** Starts the server, or connects to it, and greets it. The signal covers all of that. */
  static async open(
    name: string,
    settings: McpServerSettings,
    options: ConnectionOptions,
    signal: AbortSignal,
  ): Promise<McpConnection> {
    signal.throwIfAborted();
    const [{ Client }, { LoggingMessageNotificationSchema, ToolListChangedNotificationSchema }] =
      await Promise.all([
        import('@modelcontextprotocol/sdk/client/index.js'),
        import('@modelcontextprotocol/sdk/types.js'),
      ]);
    const client = new Client({ name: 'lait', version: options.clientVersion });
    const transport = await createTransport(`mcp_servers.${name}`, settings, options);
    const connection = new McpConnection(client, transport);
    client.onclose = () => {
      connection.closed = true;
    };
    client.onerror = (error) => options.onLog(error.message);
    client.setNotificationHandler(ToolListChangedNotificationSchema, () => {
      connection.#tools = undefined;
    });
    client.setNotificationHandler(LoggingMessageNotificationSchema, ({ params }) =>
      options.onLog(typeof params.data === 'string' ? params.data : JSON.stringify(params.data)),
    );
    const greeting = client.connect(transport, { signal, timeout: noLimit });
    try {
      await untilAborted(greeting, signal);
      return connection;
    } catch (error) {
      await connection.close();
      const reason = obituaryOf(transport);
      throw signal.aborted || reason === '' ? error : new Error(reason, { cause: error });
    }
  }

  /** All tools, page by page; asked for once until the server says that they have changed. */
  tools(): Promise<readonly Tool[]> {
    if (this.#tools === undefined) {
      const listing = this.#list();
      this.#tools = listing;
      listing.catch(() => {
        if (this.#tools === listing) this.#tools = undefined;
      });
    }
    return this.#tools;
  }

  async call(
    name: string,
    arguments_: JsonObject,
    options: { signal: AbortSignal; meta: JsonObject },
  ): Promise<CallToolResult> {
    const { CallToolResultSchema } = await import('@modelcontextprotocol/sdk/types.js');
    this.#active += 1;
    try {
      return await this.client.request(
        { method: 'tools/call', params: { name, arguments: arguments_, _meta: options.meta } },
        CallToolResultSchema,
        { signal: options.signal, timeout: noLimit },
      );
    } finally {
      this.#active -= 1;
      if (this.#active === 0) this.#idle?.();
    }
  }

  /** What explains the end of the server, if anything is known. */
  get obituary(): string {
    return obituaryOf(this.transport);
  }

  /** Closes once the calls under way have ended; those that others wait for are not torn off. */
  closeWhenIdle(): Promise<void> {
    this.#retiring ??= (async () => {
      if (this.#active > 0 && !this.closed) {
        await new Promise<void>((resolve) => {
          this.#idle = resolve;
        });
      }
      await this.close();
    })();
    return this.#retiring;
  }

  async close(): Promise<void> {
    this.closed = true;
    this.#idle?.();
    // A polite server over HTTP forgets the session; one that does not answer is not waited for.
    if ('terminateSession' in this.transport) {
      const { terminateSession } = this.transport as { terminateSession(): Promise<void> };
      await Promise.race([
        terminateSession.call(this.transport).catch(() => {}),
        new Promise((resolve) => setTimeout(resolve, 500).unref()),
      ]);
    }
    await this.client.close().catch(() => {});
    await this.transport.close().catch(() => {});
  }

  async #list(): Promise<readonly Tool[]> {
    const { ListToolsResultSchema } = await import('@modelcontextprotocol/sdk/types.js');
    if (this.client.getServerCapabilities()?.tools === undefined) return [];
    const tools: Tool[] = [];
    const cursors = new Set<string>();
    let cursor: string | undefined;
    for (let page = 0; page < maxPages; page += 1) {
      const result = await this.client.request(
        { method: 'tools/list', params: cursor === undefined ? {} : { cursor } },
        ListToolsResultSchema,
        { timeout: listMilliseconds },
      );
      tools.push(...result.tools);
      if (tools.length > maxTools) throw new Error(`it lists more than ${maxTools} tools`);
      cursor = result.nextCursor;
      if (cursor === undefined || cursor === '') return tools;
      if (cursors.has(cursor)) throw new Error('its list of tools goes in a circle');
      cursors.add(cursor);
    }
    throw new Error(`its list of tools has more than ${maxPages} pages`);
  }
}

async function createTransport(
  place: string,
  settings: McpServerSettings,
  { environment, onLog, onSecret }: ConnectionOptions,
): Promise<Transport> {
  const { variables, workingDirectory } = environment;
  for (const value of secretValues({ ...settings.env, ...settings.headers }, variables)) onSecret(value);
  const expand = (text: string, field: string) => expandVariables(text, variables, `${place}.${field}`);
  if (settings.command !== undefined) {
    const { JSONRPCMessageSchema } = await import('@modelcontextprotocol/sdk/types.js');
    const { args = [], env = {}, cwd } = settings;
    return new ProcessTransport(
      {
        command: [
          expand(settings.command, 'command'),
          ...args.map((argument, index) => expand(argument, `args[${index}]`)),
        ],
        environment: { ...variables, ...expandAll(env, variables, `${place}.env`) },
        baseDirectory: workingDirectory,
        workingDirectory: cwd === undefined ? undefined : expand(cwd, 'cwd'),
      },
      { onLog, parseMessage: (value) => JSONRPCMessageSchema.parse(value) },
    );
  }
  const { StreamableHTTPClientTransport } = await import(
    '@modelcontextprotocol/sdk/client/streamableHttp.js'
  );
  const headers = expandAll(settings.headers ?? {}, variables, `${place}.headers`);
  return new StreamableHTTPClientTransport(new URL(expand(settings.url ?? '', 'url')), {
    requestInit: { headers },
    fetch: networkFetch(variables),
  });
}

function obituaryOf(transport: Transport): string {
  return transport instanceof ProcessTransport ? transport.obituary : '';
}
