import { existsSync } from 'node:fs';
import { Command, CommanderError } from 'commander';
import { UsageError } from '../errors/errors.js';
import { didYouMean } from '../plan/suggest.js';
import type { SecretRegistry } from '../values/secrets.js';
import { CommandContext } from './command-context.js';
import { commandList, type Start, visibleCommands } from './command-list.js';
import { type ExitCode, exitCodeOf, exitCodes } from './exit-codes.js';
import { declareGlobalOptions } from './global-options.js';
import type { Output } from './output.js';
import { reportFailure } from './report-failure.js';
import { quoteCommand, usualShell } from './shell-quote.js';
import { packageVersion } from './version.js';

/** What arguments without a command are for. */
const defaultCommand = 'chat';

interface Surroundings {
  output: Output;
  signal: AbortSignal;
  secrets: SecretRegistry;
}

const examples = `
Examples:
  lait init workflow
  lait run workflow.yml "text to work on"
  cat article.md | lait run summarize.yml --input lang=en
  lait lint workflow.yml
  lait "Why is the sky blue?"

Run \`lait COMMAND --help\` for the options of a command.`;

/** Parses the arguments, runs the command and gives back the exit code. Errors are reported on standard error. */
export async function runCommandLine(argv: readonly string[], surroundings: Surroundings): Promise<ExitCode> {
  const { output } = surroundings;
  let code: ExitCode = exitCodes.ok;
  let verbosity = 0;
  // Help and version are written by the parser, which does not wait; what went wrong is looked at behind it.
  let written: Promise<unknown> = Promise.resolve();
  // Errors are reported below; the help of a command that misses its subcommand comes the same way.
  const showHelp = (text: string) => {
    if (text.startsWith('Usage:')) output.message(text);
  };
  const program = new Command('lait')
    .description('Declarative workflows for language models')
    .version(`lait ${packageVersion()}`, '-V, --version', 'print the version')
    .helpOption('-h, --help', 'show help')
    .configureHelp({ showGlobalOptions: true, sortSubcommands: false })
    .addHelpText('after', examples)
    .exitOverride()
    .configureOutput({
      writeOut: (text) => {
        written = output.write(text).then(undefined, (error: unknown) => error);
      },
      writeErr: showHelp,
    });
  const globalOptions = declareGlobalOptions(program, process.env);
  const start: Start = async (work) => {
    const options = globalOptions();
    verbosity = options.verbosity;
    const { signal, secrets } = surroundings;
    const context = new CommandContext(output, signal, secrets, options);
    code = (await work(context)) ?? exitCodes.ok;
  };
  try {
    await addCommands(program, argv, start);
    if (argv.length === 0) {
      await output.write(`${program.helpInformation()}${examples}\n`);
      return exitCodes.ok;
    }
    await program.parseAsync(argv as string[], { from: 'user' });
    return code;
  } catch (error) {
    const failure =
      error instanceof CommanderError
        ? (usageErrorOf(error, calledCommand(program, argv)) ?? (await written))
        : error;
    if (failure === undefined) return exitCodes.ok;
    await reportFailure(failure, { output, verbosity });
    if (!output.used && wantsJson(program, argv)) {
      const { errorDocument } = await import('./run/write-result.js');
      await output.writeJson({ error: errorDocument(failure, surroundings.secrets) });
    }
    return exitCodeOf(failure);
  }
}

/** Loads the command that is asked for; the others are known by name and summary. */
async function addCommands(program: Command, argv: readonly string[], start: Start): Promise<void> {
  const wanted = wantedCommand(argv);
  for (const [name, { summary, hidden, load }] of Object.entries(commandList)) {
    const command = program
      .command(name, { hidden: hidden === true, isDefault: name === defaultCommand })
      .summary(summary)
      .description(capitalized(summary));
    if (name === wanted) (await load()).configure(command, start);
  }
}

/** Flags that may stand before a command; `--config` takes a value. */
const beforeCommand =
  /^(-v+|-V|-h|--(verbose|version|help|no-config|no-env|cache|no-cache|approve-tools|trust|config=.*))$/;

/**
 * The command that is asked for. Without one the arguments are a request: `lait "why?"`, `lait --model m "why?"`. A
 * single word that looks like a mistyped command is refused: what was meant for lait must not go to a model.
 * Source: facts §1.1.
 */
function wantedCommand(argv: readonly string[]): string | undefined {
  for (let index = 0; index < argv.length; index++) {
    const argument = argv[index]!;
    if (argument === '--config') index++;
    else if (argument.startsWith('-') && argument !== '-') {
      if (!beforeCommand.test(argument)) return defaultCommand;
    } else if (argument === 'help') return argv[index + 1];
    else if (Object.hasOwn(commandList, argument)) return argument;
    else return requireRequest(argument);
  }
  return undefined;
}

function requireRequest(word: string): string {
  if (/\.(ya?ml|json)$/.test(word) && existsSync(word)) {
    const command = quoteCommand(['lait', 'run', word], usualShell(process.platform, process.env));
    throw new UsageError({ code: 'usage', message: `${word} is a file: \`${command}\` runs it` });
  }
  const hint = /\s/.test(word) ? undefined : didYouMean(word, visibleCommands());
  if (hint === undefined) return defaultCommand;
  throw new UsageError({
    code: 'usage',
    message: `unknown command '${word}' (${hint} To ask a model, write \`lait chat ${word} …\`); see \`lait --help\``,
  });
}

function capitalized(summary: string): string {
  return summary.charAt(0).toUpperCase() + summary.slice(1);
}

/** Help and version are no errors; everything else that the parser refuses is a usage error. */
function usageErrorOf(error: CommanderError, command: Command): UsageError | undefined {
  if (error.exitCode === 0) return undefined;
  const message = error.message
    .replace(/^error: /, '')
    .replace(/\n\(Did/, ' (did')
    .replace(
      /^command-argument value ('.*') is invalid for argument '(.*)'\. Allowed/s,
      '$1 is no $2. Allowed',
    )
    .replace(/\. Allowed choices are /, ': give one of ')
    .replace(/\.$/, '');
  const isHelp = error.code === 'commander.help';
  return new UsageError({
    code: 'usage',
    message: isHelp ? 'see the help above' : `${message}; see \`${pathOf(command)} --help\``,
  });
}

/** The command that the arguments name: the deepest of their words that is one. */
function calledCommand(program: Command, argv: readonly string[]): Command {
  let command = program;
  for (const word of argv) command = command.commands.find((one) => one.name() === word) ?? command;
  return command;
}

/** `lait runs answer` */
function pathOf(command: Command): string {
  return command.parent === null ? command.name() : `${pathOf(command.parent)} ${command.name()}`;
}

/**
 * Whether standard output is to be JSON, so that a program finds a document there also when the command fails: with
 * `--json`, where that takes no value, and with `--format json`. Source: field report FR-40.
 */
function wantsJson(program: Command, argv: readonly string[]): boolean {
  if (/(?:^|\n)--format(?:=|\n)json(?:\n|$)/.test(argv.join('\n'))) return true;
  if (!argv.includes('--json')) return false;
  const option = calledCommand(program, argv).options.find(({ long }) => long === '--json');
  return option === undefined || option.isBoolean();
}
