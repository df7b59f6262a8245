import type { Command } from 'commander';
import type { CommandModule, Start } from '../command-list.js';

/** Flags of `lait decide`, as parsed. */
export interface DecideOptions {
  questions: string;
  json?: true;
  full?: true;
  model?: string;
  baseUrl?: string;
  apiKey?: string;
  stdin: boolean;
}

const examples = `
Examples:
  lait decide -q questions.yml "The invoice is wrong, please call today"
  cat mail.txt | lait decide -q questions.yml --full
  lait decide -q questions.yml --json '{"subject":"invoice"}'

questions.yml:
  urgent: { type: noul, instructions: Must it be answered today? }
  team: { type: choice, criteria: { billing: payments and invoices, sales: null } }

Exit codes: 0 done, 1 failed, 2 usage, 3 invalid questions or configuration, 4 server, 130 Ctrl-C.`;

export const configure: CommandModule['configure'] = (command: Command, start: Start) => {
  command
    .argument('[state]', 'what is judged; joined with what is piped in; - for standard input alone')
    .requiredOption('-q, --questions <file>', 'a YAML or JSON file of questions by name')
    .option('--json', 'read STATE as JSON')
    .option('--full', "print the server's whole reply instead of its answers")
    .option('--model <name>', 'model of the server; default: jev.model, else jev-latest')
    .option('--base-url <url>', 'the API to ask; default: jev.base_url')
    .option('--api-key <key>', 'the key for it; default: jev.api_key')
    .option('--no-stdin', 'leave standard input unread')
    .addHelpText('after', examples)
    .action((state: string | undefined, options: DecideOptions) =>
      start(async (context) => {
        const { decideCommand } = await import('../decide/decide-command.js');
        return decideCommand(state, options, context);
      }),
    );
};
