import { buildServices } from '../../config/build-services.js';
import type { ServerConfiguration } from '../../config/configuration.js';
import { UsageError } from '../../errors/errors.js';
import { otlpEndpoint } from '../../observe/trace/otlp-endpoint.js';
import { expandVariables } from '../../values/expand-variables.js';
import type { CommandContext } from '../command-context.js';
import { type ExitCode, exitCodes } from '../exit-codes.js';
import { extendGrace } from '../interrupts.js';
import { packageVersion } from '../version.js';
import { openServerDatabase } from './server-database.js';

export interface ServeHttpOptions {
  host?: string;
  port?: string;
  database?: string;
  allowedHost?: string[];
  concurrency?: string;
}

/** `lait serve`: runs, definitions and people's answers over HTTP, until Ctrl-C or SIGTERM. */
export async function serveHttp(options: ServeHttpOptions, context: CommandContext): Promise<ExitCode> {
  const { output, secrets, signal, workingDirectory } = context;
  const port = numberOf('--port', options.port, 0, 65_535);
  const concurrency = numberOf('--concurrency', options.concurrency, 0, 10_000);
  const configuration = await context.trustedConfiguration();
  const variables = await context.variables();
  const configured: ServerConfiguration = configuration.values.server ?? {};
  const [
    { startServer },
    { createServerContext },
    { serverSettings },
    { serverGroups },
    { StoredSecrets },
    { SqlRunStore },
  ] = await Promise.all([
    import('../../server/start-server.js'),
    import('../../server/create-server-context.js'),
    import('../../server/server-settings.js'),
    import('../../server/server-groups.js'),
    import('../../runs/stored-secrets.js'),
    import('../../runs/stores/sql/sql-run-store.js'),
  ]);
  const { pino } = await import('pino');
  // Logs go the way of everything else that people read: masked, and a reader that went away ends nothing.
  const level = context.options.verbosity > 1 ? 'debug' : 'info';
  const logger = pino({ level }, { write: (line: string) => context.output.message(line) });
  const database = await openServerDatabase(options.database, context);
  const secretCodec = new StoredSecrets(variables, secrets, [JSON.stringify(configuration.values)]);
  const services = buildServices({
    configuration,
    environment: { variables, workingDirectory },
    secrets,
    cache: context.options.cache,
    streaming: true,
    onServerLog: (server, line) =>
      logger.debug({ mcp_server: server, line: secrets.mask(line) }, 'MCP server'),
  });
  const settings = serverSettings({
    ...configured,
    ...(concurrency !== undefined && { concurrency }),
    allowed_hosts: [...(configured.allowed_hosts ?? []), ...(options.allowedHost ?? [])],
    ...(configured.otlp !== undefined && {
      otlp: otlpEndpoint(expandVariables(configured.otlp, variables, 'server.otlp'), 'server.otlp'),
    }),
  });
  try {
    const server = createServerContext({
      database,
      store: new SqlRunStore(database, { secrets: secretCodec }),
      services,
      configuration,
      settings,
      workingDirectory,
      secrets,
      secretCodec,
      logger,
      version: packageVersion(),
    });
    const { groups, background } = serverGroups(server);
    // What was interrupted must still be stored.
    extendGrace(settings.stopGraceMs + 10_000);
    const running = await startServer({
      context: server,
      groups,
      background,
      ...(options.host !== undefined && { host: options.host }),
      ...(port !== undefined && { port }),
    });
    output.line(`serving at ${running.url}, with ${database.location}`);
    await aborted(signal);
    await running.stop();
    // Being told to stop is how a server ends.
    return exitCodes.ok;
  } finally {
    await services.close();
    await database.close();
  }
}

function numberOf(flag: string, text: string | undefined, least: number, most: number): number | undefined {
  if (text === undefined) return undefined;
  const value = Number(text);
  if (/^\d{1,5}$/.test(text) && value >= least && value <= most) return value;
  throw new UsageError({
    code: 'usage',
    message: `${flag} must be a number from ${least} to ${most}, not '${text}'`,
  });
}

function aborted(signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    if (signal.aborted) resolve();
    else signal.addEventListener('abort', () => resolve(), { once: true });
  });
}
