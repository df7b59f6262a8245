import { Argument, type Command } from 'commander';
import type { CommandModule, Start } from '../command-list.js';

const examples = `
Examples:
  source <(lait completions bash)                       (or in ~/.bashrc)
  lait completions zsh > ~/.zfunc/_lait
  lait completions fish > ~/.config/fish/completions/lait.fish
  lait completions powershell | Out-String | Invoke-Expression`;

export const configure: CommandModule['configure'] = (command: Command, start: Start) => {
  command
    .addArgument(new Argument('<shell>', 'for which shell').choices(['bash', 'zsh', 'fish', 'powershell']))
    .addHelpText('after', examples)
    .action((shell: 'bash' | 'zsh' | 'fish' | 'powershell') =>
      start(async (context) => {
        const { completionScript } = await import('../completions/scripts.js');
        await context.output.write(completionScript(shell));
      }),
    );
};
