import type { Server } from '@modelcontextprotocol/sdk/server/index.js';
import type { CallToolResult } from '@modelcontextprotocol/sdk/types.js';
import { UsageError } from '../../errors/errors.js';
import { messageChain } from '../../errors/lait-error.js';
import { compileFullSchema } from '../../schema/full-schema.js';
import { nameProblems } from '../../tools/tool-names.js';
import type { JsonObject } from '../../values/value.js';
import type { McpCallContext, McpToolEntry } from './entry.js';

export interface McpEndpointOptions {
  entries: readonly McpToolEntry[];
  /** How we introduce ourselves. */
  name: string;
  version: string;
  /** Told what goes wrong between us and the client. */
  onLog?: (message: string) => void;
}

/**
 * What our MCP server offers, whatever the transport: the tools, their calls, and which calls are under way. Failures
 * of a call are results with `isError`, so that the client's model can read them.
 */
export class McpEndpoint {
  readonly #options: McpEndpointOptions;
  readonly #entries: ReadonlyMap<string, McpToolEntry>;
  readonly #calls = new Set<Promise<unknown>>();

  /** Throws a `UsageError` (`tool_name_invalid`) for names that are too long or collide. */
  constructor(options: McpEndpointOptions) {
    const problems = nameProblems(options.entries.map(({ name }) => ({ name, origin: `'${name}'` })));
    if (problems.length > 0) {
      throw new UsageError({ code: 'tool_name_invalid', message: problems.join('\n') });
    }
    this.#options = options;
    this.#entries = new Map(options.entries.map((entry) => [entry.name, entry]));
  }

  /** Resolves when no call is under way. */
  async idle(): Promise<void> {
    while (this.#calls.size > 0) await Promise.allSettled(this.#calls);
  }

  /** A server for one client; it is connected to a transport by the caller. */
  async createServer(): Promise<Server> {
    const [{ Server }, { CallToolRequestSchema, ErrorCode, ListToolsRequestSchema, McpError }] =
      await Promise.all([
        import('@modelcontextprotocol/sdk/server/index.js'),
        import('@modelcontextprotocol/sdk/types.js'),
      ]);
    const { name, version, onLog } = this.#options;
    const server = new Server({ name, version }, { capabilities: { tools: {} } });
    server.onerror = (error) => onLog?.(error.message);
    server.setRequestHandler(ListToolsRequestSchema, () => ({
      tools: [...this.#entries.values()].map(({ name, description, inputSchema }) => ({
        name,
        ...(description !== undefined && { description }),
        inputSchema: inputSchema as { type: 'object' },
      })),
    }));
    server.setRequestHandler(CallToolRequestSchema, async ({ params }, { signal, sendNotification }) => {
      const entry = this.#entries.get(params.name);
      if (entry === undefined) {
        const known = [...this.#entries.keys()].join(', ') || 'none';
        throw new McpError(ErrorCode.InvalidParams, `unknown tool '${params.name}'; there are: ${known}`);
      }
      const { progressToken } = params._meta ?? {};
      let progress = 0;
      const context: McpCallContext = {
        signal,
        progress(message) {
          if (progressToken === undefined || signal.aborted) return;
          progress += 1;
          sendNotification({
            method: 'notifications/progress',
            params: { progressToken, progress, message },
          }).catch((error: Error) => onLog?.(error.message));
        },
      };
      return this.#track(callEntry(entry, (params.arguments ?? {}) as JsonObject, context));
    });
    return server;
  }

  async #track<T>(call: Promise<T>): Promise<T> {
    this.#calls.add(call);
    try {
      return await call;
    } finally {
      this.#calls.delete(call);
    }
  }
}

async function callEntry(
  entry: McpToolEntry,
  arguments_: JsonObject,
  context: McpCallContext,
): Promise<CallToolResult> {
  try {
    const problems = (await compileFullSchema(entry.inputSchema))(arguments_);
    if (problems.length > 0) return failed(`the arguments do not fit: ${problems.join('; ')}`);
    const { text, structured } = await entry.call(arguments_, context);
    return {
      content: [{ type: 'text', text }],
      ...(structured !== undefined && { structuredContent: structured }),
    };
  } catch (error) {
    return failed(messageChain(error));
  }
}

function failed(text: string): CallToolResult {
  return { content: [{ type: 'text', text }], isError: true };
}
