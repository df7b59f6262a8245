import type { Command } from 'commander';
import { addListCommand } from '../add-list-command.js';
import { type ChatOptions, declareChatOptions } from '../chat/chat-options.js';
import type { CommandModule, Start } from '../command-list.js';

const runExamples = `
Examples:
  lait agent run agents/reviewer.md "text to review"
  lait agent run reviewer < draft.md                    (a name under agents: of lait.config.yml)
  lait agent run triage '{"topic":"billing"}' --json
  lait agent run reviewer                               (an interactive session on a terminal)

The prompt of the file sees INPUT as {{ input }}, read as JSON if it is JSON; the model is sent INPUT word for word.
Flags come before the settings of the file.`;

export const configure: CommandModule['configure'] = (command: Command, start: Start) => {
  const run = command
    .command('run')
    .description('Let an agent answer')
    .argument('<file>', 'an agent file, or a name under agents: of lait.config.yml')
    .argument('[input]', 'what the agent is asked; joined with what is piped in');
  declareChatOptions(run);
  run
    .addHelpText('after', runExamples)
    .action((file: string, input: string | undefined, options: ChatOptions) =>
      start(async (context) => {
        const { runAgentCommand } = await import('../chat/run-agent-command.js');
        return runAgentCommand(file, input, options, context);
      }),
    );
  addListCommand(command, 'agents', start);
};
