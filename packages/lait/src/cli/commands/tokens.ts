import type { Command } from 'commander';
import type { CommandModule, Start } from '../command-list.js';
import type { CreateTokenOptions, TokensOptions } from '../tokens/tokens-command.js';

const examples = `
Examples:
  lait tokens create ops --scope admin
  lait tokens create reviewer --scope read --scope answer --expires-in 90d
  lait tokens list
  lait tokens revoke tok_0123456789abcdef

Scopes: read (look at everything), run (start, cancel, resume and repeat runs), write (change definitions, schedules and
webhooks), answer (answer questions and approve runs), admin (all of it, and tokens, audit events and metrics).
A token is shown once; only its hash is stored.`;

const database = ['--database <url>', 'the database of the server (default: .lait/lait.db)'] as const;

export const configure: CommandModule['configure'] = (command: Command, start: Start) => {
  command.addHelpText('after', examples);
  command
    .command('create')
    .description('Make a token and print it')
    .argument('<name>', 'what people call it')
    .option('--scope <scope>', 'what it may do; repeat for more', (value: string, all: string[] = []) => [
      ...all,
      ...value.split(','),
    ])
    .option('--expires-in <time>', 'for how long it is good, e.g. 90d, 12h (default: for ever)')
    .option(...database)
    .option('--json', 'print JSON')
    .action((name: string, options: CreateTokenOptions) =>
      start(async (context) => {
        const { createToken } = await import('../tokens/tokens-command.js');
        await createToken(name, options, context);
        return undefined;
      }),
    );
  command
    .command('list')
    .description('List tokens with what they may do')
    .option(...database)
    .option('--json', 'print JSON')
    .action((options: TokensOptions) =>
      start(async (context) => {
        const { listTokens } = await import('../tokens/tokens-command.js');
        await listTokens(options, context);
        return undefined;
      }),
    );
  command
    .command('revoke')
    .description('End a token for good')
    .argument('<token-id>', 'an id as list shows it')
    .option(...database)
    .action((id: string, options: TokensOptions) =>
      start(async (context) => {
        const { revokeToken } = await import('../tokens/tokens-command.js');
        await revokeToken(id, options, context);
        return undefined;
      }),
    );
};
