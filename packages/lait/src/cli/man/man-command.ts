import { Command } from 'commander';
import { UsageError } from '../../errors/errors.js';
import { didYouMean } from '../../plan/suggest.js';
import type { CommandContext } from '../command-context.js';
import { commandList } from '../command-list.js';
import { declareGlobalOptions } from '../global-options.js';
import { packageVersion } from '../version.js';
import { manualOf, manualOfAll } from './man-page.js';

/** `lait man`: the manual page, made from what the commands declare. Throws a `UsageError` for an unknown command. */
export async function manual(name: string | undefined, { output }: CommandContext): Promise<undefined> {
  const program = new Command('lait').description('Declarative workflows for language models');
  declareGlobalOptions(program, {});
  program.helpOption('-h, --help', 'show help');
  const listed = Object.entries(commandList).filter(([, { hidden }]) => hidden !== true);
  for (const [command, { summary, load }] of listed) {
    const child = program.command(command).summary(summary).description(summary);
    if (command === name) (await load()).configure(child, async () => {});
  }
  if (name === undefined) {
    await output.write(manualOfAll(program, packageVersion()));
    return;
  }
  const command = program.commands.find((child) => child.name() === name);
  if (command === undefined) {
    const names = listed.map(([known]) => known);
    throw new UsageError({
      code: 'usage',
      message: `there is no command '${name}'; ${didYouMean(name, names) ?? 'see `lait --help`'}`,
    });
  }
  await output.write(manualOf(command, program, packageVersion()));
}
