import type { Command } from 'commander';
import type { CommandModule, Start } from '../command-list.js';

const examples = `
Examples:
  lait chat --session .lait/sessions/plan.json "Where do we begin?"
  lait sessions list
  lait sessions show plan
  lait sessions rm plan`;

export const configure: CommandModule['configure'] = (command: Command, start: Start) => {
  command.addHelpText('after', examples);
  command
    .command('list', { isDefault: true })
    .description('List the conversations in .lait/sessions')
    .option('--json', 'print JSON')
    .addHelpText('after', examples)
    .action((options: { json?: true }) =>
      start(async (context) => {
        const { listSessions } = await import('../sessions/sessions-command.js');
        return listSessions(options, context);
      }),
    );
  command
    .command('show')
    .description('Show what was said')
    .argument('<name>', 'as the list names it')
    .option('--json', 'print JSON')
    .addHelpText('after', examples)
    .action((name: string, options: { json?: true }) =>
      start(async (context) => {
        const { showSession } = await import('../sessions/sessions-command.js');
        return showSession(name, options, context);
      }),
    );
  command
    .command('rm')
    .description('Remove conversations')
    .argument('<name...>', 'as the list names them')
    .addHelpText('after', examples)
    .action((names: string[]) =>
      start(async (context) => {
        const { removeSessions } = await import('../sessions/sessions-command.js');
        return removeSessions(names, context);
      }),
    );
};
