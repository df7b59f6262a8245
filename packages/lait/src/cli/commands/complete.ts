import type { Command } from 'commander';
import type { CommandModule, Start } from '../command-list.js';

/** What completion scripts call: prints one proposal a line for the last of the words. */
export const configure: CommandModule['configure'] = (command: Command, start: Start) => {
  command
    .argument('[words...]', 'the words behind lait; the last one is being typed')
    .action((words: string[]) =>
      start(async (context) => {
        const { propose } = await import('../completions/propose.js');
        await context.output.write((await propose(words, context)).map((word) => `${word}\n`).join(''));
        return undefined;
      }),
    );
};
