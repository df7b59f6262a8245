import type { Command } from 'commander';
import type { CommandModule, Start } from '../command-list.js';

const examples = `
Examples:
  lait run workflow.yml "text" --cache -v               (-v says why a reply came from the cache, or did not)
  lait cache clear

\`default: { cache: true, cache_ttl: 3600 }\` in lait.config.yml turns the cache on; --no-cache turns it off.
It is kept in $XDG_CACHE_HOME/lait/responses, or below ~/.cache.`;

export const configure: CommandModule['configure'] = (command: Command, start: Start) => {
  command.addHelpText('after', examples);
  command
    .command('clear')
    .description('Remove every cached model reply')
    .option('--json', 'print JSON')
    .action((options: { json?: true }) =>
      start(async (context) => {
        const { clearCache } = await import('../clear-cache.js');
        await clearCache(options, context);
        return undefined;
      }),
    );
};
