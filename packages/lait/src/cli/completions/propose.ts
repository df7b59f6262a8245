import { readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { Command, type Option } from 'commander';
import type { Configuration } from '../../config/configuration.js';
import type { CommandContext } from '../command-context.js';
import { commandList, visibleCommands } from '../command-list.js';
import { exampleNames } from '../example-directory.js';
import { declareGlobalOptions } from '../global-options.js';

const files = ':files';

/**
 * Proposals for the last of `words`: commands, options, the values that an option or argument takes, registered names.
 * Problems of the configuration propose nothing; completion must not talk.
 */
export async function propose(words: readonly string[], context: CommandContext): Promise<string[]> {
  const current = words.at(-1) ?? '';
  const before = words.slice(0, -1);
  const proposals = await proposalsFor(before, current, context);
  return proposals.filter((word) => word === files || word.startsWith(current));
}

async function proposalsFor(
  before: readonly string[],
  current: string,
  context: CommandContext,
): Promise<readonly string[]> {
  const program = new Command('lait');
  declareGlobalOptions(program, {});
  const name = before.find((word) => Object.hasOwn(commandList, word));
  if (name === undefined) {
    const option = takingValue(program.options, before.at(-1));
    if (option !== undefined) return valuesOf(option, before, context);
    if (current.startsWith('-')) return [...optionNames(program.options), '--help', '--version'];
    return visibleCommands();
  }
  const group = new Command(name);
  (await commandList[name]!.load()).configure(group, async () => {});
  const child = group.commands.find((one) => one.name() === before[before.indexOf(name) + 1]);
  const command = child ?? group;
  const options = [...command.options, ...program.options];
  const option = takingValue(options, before.at(-1));
  if (option !== undefined) return valuesOf(option, before, context);
  if (current.startsWith('-')) return [...optionNames(options), '--help'];
  const given = operands(before.slice(before.indexOf(name) + (child === undefined ? 1 : 2)), options);
  const subcommands = command.commands.map((child) => child.name());
  if (subcommands.length > 0) return given.length === 0 ? subcommands : [];
  return valuesOfArgument(name, command, given, context);
}

function takingValue(options: readonly Option[], word: string | undefined): Option | undefined {
  if (word === undefined) return undefined;
  return options.find(
    (option) => (option.required || option.optional) && (option.long === word || option.short === word),
  );
}

function optionNames(options: readonly Option[]): string[] {
  return options.flatMap((option) => (option.hidden || option.long == null ? [] : [option.long]));
}

/** The words that are neither options nor their values. */
function operands(words: readonly string[], options: readonly Option[]): string[] {
  return words.filter(
    (word, index) => !word.startsWith('-') && takingValue(options, words[index - 1]) === undefined,
  );
}

async function valuesOf(
  option: Option,
  before: readonly string[],
  context: CommandContext,
): Promise<readonly string[]> {
  if (option.argChoices !== undefined) return option.argChoices;
  switch (option.attributeName()) {
    case 'resume':
      return ['latest', ...(await runIds(context))];
    case 'from':
      return stepIds(before, context);
    case 'model':
      return names(context, 'models');
    case 'mcp':
      return names(context, 'mcp_servers');
    case 'tools':
    case 'skills':
      return names(context, option.attributeName() as 'tools' | 'skills');
    case 'subagents':
      return names(context, 'agents');
    case 'example':
      return exampleNames();
    case 'scope':
      return (await import('../../server/access/scopes.js')).scopes;
    case 'limit':
      return (await import('../../plan/spending-limits.js')).spendingLimitNames.map((limit) => `${limit}=`);
    case 'input':
      return [];
    default:
      return [files];
  }
}

async function valuesOfArgument(
  name: string,
  command: Command,
  given: readonly string[],
  context: CommandContext,
): Promise<readonly string[]> {
  const declared = command.registeredArguments;
  const argument = declared[Math.min(given.length, declared.length - 1)];
  if (argument === undefined || (given.length >= declared.length && !argument.variadic)) return [];
  if (argument.argChoices !== undefined) return argument.argChoices;
  switch (argument.name()) {
    case 'file':
      return [...(await names(context, name === 'agent' ? 'agents' : 'workflows')), files];
    case 'prompt':
    case 'input':
    case 'state':
      return [];
    case 'code': {
      const { explanations } = await import('../../dialects/explanations.js');
      return Object.keys(explanations);
    }
    case 'command':
      return visibleCommands();
    case 'run-id':
      return ['latest', ...(await runIds(context))];
    case 'path':
      return [files];
    default:
      return name === 'run' ? [] : [files];
  }
}

async function names(
  context: CommandContext,
  section: 'models' | 'workflows' | 'agents' | 'mcp_servers' | 'tools' | 'skills',
): Promise<string[]> {
  const configuration: Configuration | undefined = await context.configuration().catch(() => undefined);
  return Object.keys(configuration?.values[section] ?? {});
}

async function runIds({ workingDirectory }: CommandContext): Promise<string[]> {
  const entries = await readdir(join(workingDirectory, '.lait', 'runs')).catch(() => []);
  return entries.filter((entry) => entry.endsWith('.json')).map((entry) => entry.slice(0, -'.json'.length));
}

/** Ids of the top-level steps of the workflow file among the words. */
async function stepIds(before: readonly string[], context: CommandContext): Promise<string[]> {
  const file = before.find((word) => /\.(ya?ml|json)$/.test(word));
  if (file === undefined) return [];
  const { planOfFile } = await import('../../config/load-plan.js');
  const plan = await planOfFile(join(context.workingDirectory, file), { signal: context.signal }).catch(
    () => undefined,
  );
  return (plan?.body.nodes ?? []).flatMap(({ id }) => (id === undefined ? [] : [id]));
}
