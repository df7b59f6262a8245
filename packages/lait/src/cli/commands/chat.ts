import type { Command } from 'commander';
import { type ChatOptions, declareChatOptions } from '../chat/chat-options.js';
import type { CommandModule, Start } from '../command-list.js';

const examples = `
Examples:
  lait "Why is the sky blue?"                           (the same as: lait chat "Why is the sky blue?")
  git diff | lait chat "Write a commit message" --model local
  lait chat --tools search --mcp files                  (an interactive session on a terminal)
  lait chat "Which city?" --file notes.txt --output-schema city.json

The answer goes to standard output, everything else to standard error.
Exit codes: 0 done, 1 failed, 2 usage, 3 invalid configuration, 4 model API, 5 timeout, 130 Ctrl-C.`;

export const configure: CommandModule['configure'] = (command: Command, start: Start) => {
  command
    .argument('[prompt...]', 'what to ask; joined with what is piped in; none on a terminal for a session')
    .option('--system <text>', 'the system prompt; default: default.system of lait.config.yml');
  declareChatOptions(command);
  command.addHelpText('after', examples).action((words: string[], options: ChatOptions) =>
    start(async (context) => {
      const { chatCommand } = await import('../chat/chat-command.js');
      return chatCommand(words.length === 0 ? undefined : words.join(' '), options, context);
    }),
  );
};
