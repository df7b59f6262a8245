import type { Command } from 'commander';
import type { CommandModule, Start } from '../command-list.js';

/** Flags of `lait serve`, as parsed. */
export interface ServeOptions {
  mcp?: true;
  http?: string;
  allowedHost?: string[];
}

const examples = `
Examples:
  lait serve --mcp                                      (over standard input and output, for a client that starts lait)
  lait serve --mcp --http 127.0.0.1:8808                (over streamable HTTP, at /mcp)
  lait serve --mcp --http 0.0.0.0:8808 --allowed-host tools.example.com

The agents and workflows of lait.config.yml become tools: agent__NAME and workflow__NAME.
Workflows that ask a person are left out.`;

export const configure: CommandModule['configure'] = (command: Command, start: Start) => {
  command
    .option('--mcp', 'serve agents and workflows as tools of the Model Context Protocol')
    .option('--http <address>', 'listen on HOST:PORT or PORT instead of standard input and output')
    .option(
      '--allowed-host <host>',
      'a further name that clients call this server by; repeat for more',
      collect,
    )
    .addHelpText('after', examples)
    .action((options: ServeOptions) =>
      start(async (context) => {
        const { serveCommand } = await import('../serve/serve-command.js');
        return serveCommand(options, context);
      }),
    );
};

function collect(value: string, previous: string[] = []): string[] {
  return [...previous, value];
}
