import { buildServices } from '../../config/build-services.js';
import { UsageError } from '../../errors/errors.js';
import type { McpEndpointOptions } from '../../server/mcp/mcp-endpoint.js';
import { printable } from '../../values/printable.js';
import type { CommandContext } from '../command-context.js';
import type { ServeOptions } from '../commands/serve.js';
import { type ExitCode, exitCodes } from '../exit-codes.js';
import { packageVersion } from '../version.js';
import { isLoopback, listenAddress } from './listen-address.js';
import { mcpEntries } from './mcp-entries.js';

/** `lait serve`: runs and definitions over HTTP, or what the configuration names as tools (facts §21). */
export async function serveCommand(options: ServeOptions, context: CommandContext): Promise<ExitCode> {
  if (options.mcp !== true) {
    if (options.http !== undefined)
      throw new UsageError({
        code: 'options_exclude',
        message: '--http belongs to --mcp; use --host and --port',
      });
    if (context.options.approveTools) throw nobodyToAsk();
    const { serveHttp } = await import('./serve-http.js');
    return serveHttp(options, context);
  }
  for (const name of ['host', 'port', 'database', 'concurrency'] as const) {
    if (options[name] !== undefined)
      throw new UsageError({
        code: 'options_exclude',
        message: `--${name} does not go with --mcp; use --http`,
      });
  }
  if (options.allowedHost !== undefined && options.http === undefined) {
    throw new UsageError({ code: 'options_exclude', message: '--allowed-host needs --http' });
  }
  if (context.options.approveTools) {
    throw nobodyToAsk();
  }
  return serveMcp(options, context);
}

function nobodyToAsk(): UsageError {
  return new UsageError({
    code: 'options_exclude',
    message: 'a server has nobody to ask: use tool_policy in lait.config.yml instead of --approve-tools',
  });
}

async function serveMcp({ http, allowedHost }: ServeOptions, context: CommandContext): Promise<ExitCode> {
  const { output, signal, secrets, workingDirectory } = context;
  const address = http === undefined ? undefined : listenAddress(http);
  const configuration = await context.trustedConfiguration();
  const services = buildServices({
    configuration,
    environment: { variables: await context.variables(), workingDirectory },
    secrets,
    cache: context.options.cache,
    onServerLog: (server, line) => context.log(1, `${server}: ${line}`),
  });
  try {
    const onNote = (message: string) => output.note(message);
    const entries = await mcpEntries({ configuration, services, secrets, signal, onNote });
    if (entries.length === 0) output.note('there are no agents and workflows in lait.config.yml to serve');
    const onLog = (message: string) => context.log(1, printable(message));
    const endpoint: McpEndpointOptions = { entries, name: 'lait', version: packageVersion(), onLog };
    if (address === undefined) {
      const { serveMcpOverStdio } = await import('../../server/mcp/serve-stdio.js');
      await serveMcpOverStdio({ ...endpoint, input: process.stdin, output: process.stdout, signal });
    } else {
      if (!isLoopback(address.host)) {
        output.warning(`everybody who reaches ${address.host} may call these tools: there are no passwords`);
      }
      const { serveMcpOverHttp } = await import('../../server/mcp/serve-http.js');
      const server = await serveMcpOverHttp({ ...endpoint, ...address, allowedHosts: allowedHost ?? [] });
      output.line(`serving ${entries.length} tool(s) at ${server.url}`);
      await aborted(signal);
      await server.close();
    }
    return signal.aborted ? exitCodes.cancelled : exitCodes.ok;
  } finally {
    await services.close();
  }
}

function aborted(signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    if (signal.aborted) resolve();
    else signal.addEventListener('abort', () => resolve(), { once: true });
  });
}
