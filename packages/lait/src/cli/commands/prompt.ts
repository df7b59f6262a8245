import type { Command } from 'commander';
import { addListCommand } from '../add-list-command.js';
import { type ChatOptions, declareChatOptions } from '../chat/chat-options.js';
import type { CommandModule, Start } from '../command-list.js';
import { repeated } from '../repeated.js';

const runExamples = `
Examples:
  lait prompt run prompts/translate.txt "text to translate" --input lang=en
  git diff | lait prompt run review                     (a name under prompts: of lait.config.yml)

The file is a template: {{ input }} is INPUT with what is piped in, {{ inputs.lang }} what --input gives.`;

export const configure: CommandModule['configure'] = (command: Command, start: Start) => {
  const run = command
    .command('run')
    .description('Fill a prompt in and ask a model')
    .argument('<file>', 'a text file, or a name under prompts: of lait.config.yml')
    .argument('[input]', 'what {{ input }} stands for; joined with what is piped in')
    .option('--input <key=value>', 'what {{ inputs.KEY }} stands for; repeat for more', repeated)
    .option('--system <text>', 'the system prompt; default: default.system of lait.config.yml');
  declareChatOptions(run);
  run
    .addHelpText('after', runExamples)
    .action((file: string, input: string | undefined, options: ChatOptions & { input?: string[] }) =>
      start(async (context) => {
        const { runPrompt } = await import('../prompts/run-prompt.js');
        return runPrompt(file, input, options, context);
      }),
    );
  addListCommand(command, 'prompts', start, 'path and first line');
};
