import type { Command } from 'commander';
import type { CommandModule, Start } from '../command-list.js';
import { repeated } from '../repeated.js';

/** Flags of `lait serve`, as parsed. */
export interface ServeOptions {
  mcp?: true;
  host?: string;
  port?: string;
  database?: string;
  concurrency?: string;
  http?: string;
  allowedHost?: string[];
}

const examples = `
Examples:
  lait serve                                            (the HTTP API at http://127.0.0.1:4747, runs in .lait/lait.db)
  lait serve --port 8080 --database postgres://lait@db.example.com/lait
  lait tokens create ops --scope admin && lait serve --host 0.0.0.0 --allowed-host lait.example.com
  lait serve --mcp                                      (over standard input and output, for a client that starts lait)
  lait serve --mcp --http 127.0.0.1:8808                (over streamable HTTP, at /mcp)
  lait serve --mcp --http 0.0.0.0:8808 --allowed-host tools.example.com

Without --mcp: runs, definitions, and people's answers over HTTP; docs/server.md tells more. Other machines reach the
server only when there is a token. With --mcp: the agents and workflows of lait.config.yml become tools, agent__NAME and
workflow__NAME; workflows that ask a person are left out.`;

export const configure: CommandModule['configure'] = (command: Command, start: Start) => {
  command
    .option('--host <host>', 'the address to listen on (default: 127.0.0.1, this machine alone)')
    .option('--port <port>', 'the port; 0 takes a free one (default: 4747)')
    .option('--database <url>', 'a SQLite file or postgres://… (default: .lait/lait.db)')
    .option('--concurrency <runs>', 'how many runs this process works on at once; 0: HTTP only (default: 16)')
    .option('--mcp', 'serve agents and workflows as tools of the Model Context Protocol')
    .option(
      '--http <address>',
      'with --mcp: listen on HOST:PORT or PORT instead of standard input and output',
    )
    .option(
      '--allowed-host <host>',
      'a further name that clients call this server by; repeat for more',
      repeated,
    )
    .addHelpText('after', examples)
    .action((options: ServeOptions) =>
      start(async (context) => {
        const { serveCommand } = await import('../serve/serve-command.js');
        return serveCommand(options, context);
      }),
    );
};
