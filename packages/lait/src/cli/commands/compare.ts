import { Command, Option } from 'commander';
import { declareChatOptions } from '../chat/chat-options.js';
import type { CommandModule, Start } from '../command-list.js';
import type { CompareOptions } from '../compare/compare-command.js';

const examples = `
Examples:
  lait compare "Explain monads in one sentence" --model small --model big
  cat article.md | lait compare "Summarize" --model a --model b --system "Three lines." --json

Answers stand beside each other on a terminal that is wide enough, with time, tokens and cost; else below each other.`;

/** Flags of a chat that mean nothing for several models at once. */
const others = ['--model', '--session', '--stream', '--no-stream', '--show-usage'];

export const configure: CommandModule['configure'] = (command, start: Start) => {
  command
    .argument('[prompt]', 'what to ask; joined with what is piped in; - for standard input alone')
    .addOption(
      new Option('--model <name>', 'a model alias, or a raw model id; at least two')
        .argParser((value: string, previous: string[] = []) => [...previous, value])
        .makeOptionMandatory(),
    )
    .option('--system <text>', 'the system prompt; default: default.system of lait.config.yml');
  const chat = new Command();
  declareChatOptions(chat);
  for (const option of chat.options) if (!others.includes(option.long!)) command.addOption(option);
  command.addHelpText('after', examples).action((prompt: string | undefined, options: CompareOptions) =>
    start(async (context) => {
      const { compareModels } = await import('../compare/compare-command.js');
      return compareModels(prompt, options, context);
    }),
  );
};
