import type { Argument, Command, Option } from 'commander';

/** A section of a page that says the same for all commands. */
const endings = `.SH EXIT STATUS
.TS
tab(@);
l l.
0@done
1@failed
2@wrong usage
3@an invalid definition or configuration
4@the model API failed
5@a timeout
75@the run waits for a person
130@Ctrl\\-C
.TE
.SH FILES
.TP
.I lait.config.yml
the configuration of a project, looked for from the current directory upwards
.TP
.I $XDG_CONFIG_HOME/lait/config.yml
the configuration of the user, by default in ~/.config
.TP
.I .env
variables that are not set yet
.TP
.I .lait
recorded runs and sessions
.SH ENVIRONMENT
.TP
.B LAIT_LOG
error, info or debug: wins over \\-v
.TP
.B LAIT_TRUST
1: uses the configuration of a project without asking
.TP
.B HTTPS_PROXY, HTTP_PROXY, NO_PROXY
the proxy for requests
.TP
.B NODE_EXTRA_CA_CERTS
certificates of further authorities
.TP
.B NO_COLOR
no colours
`;

/** The manual page of all commands, in roff with tbl. */
export function manualOfAll(program: Command, version: string): string {
  const listed = visible(program).flatMap((command) => [
    '.TP',
    `.B lait ${text(command.name())}`,
    text(command.summary()),
  ]);
  return page(program, version, [
    '.SH SYNOPSIS',
    '.B lait',
    '.I COMMAND',
    '[OPTION]...',
    '.br',
    '.B lait',
    '.I PROMPT',
    ...description(program),
    '.SH COMMANDS',
    'The manual of a command is shown by',
    '.BR "lait man COMMAND" .',
    ...listed,
    '.SH OPTIONS',
    ...optionLines(program.options),
    ...examples(program),
  ]);
}

/** The manual page of one command, with its subcommands and the options that hold for all. */
export function manualOf(command: Command, program: Command, version: string): string {
  const subcommands = visible(command).flatMap((child) => [
    `.SS lait ${text(command.name())} ${text(child.name())}${usage(child)}`,
    text(sentence(child.description())),
    ...argumentLines(child.registeredArguments),
    ...optionLines(child.options),
    ...examples(child, '.PP'),
  ]);
  return page(command, version, [
    '.SH SYNOPSIS',
    `.B lait ${text(command.name())}`,
    text(command.usage().replace(/^\[options\] ?/, '[OPTION]... ')),
    ...description(command),
    ...argumentLines(command.registeredArguments),
    ...(subcommands.length === 0 ? [] : ['.SH SUBCOMMANDS', ...subcommands]),
    ...(command.options.length === 0 ? [] : ['.SH OPTIONS', ...optionLines(command.options)]),
    '.SH OPTIONS OF ALL COMMANDS',
    ...optionLines(program.options),
    ...examples(command),
  ]);
}

function page(command: Command, version: string, lines: readonly string[]): string {
  const parent = command.parent?.name();
  const name = parent === undefined ? 'lait' : `${parent}-${command.name()}`;
  return `'\\" t\n${[
    `.TH ${name.toUpperCase()} 1 "" "lait ${version}" "User Commands"`,
    '.nh',
    '.ad l',
    '.SH NAME',
    `${text(name)} \\- ${text(command.summary() || lowerFirst(command.description()))}`,
    ...lines,
  ].join('\n')}\n${endings}`;
}

function description(command: Command): string[] {
  const words = command.description();
  return ['.SH DESCRIPTION', text(sentence(words.charAt(0).toUpperCase() + words.slice(1)))];
}

function usage(command: Command): string {
  const own = command.usage().replace(/^\[options\] ?/, '');
  return own === '' ? '' : ` ${text(own)}`;
}

function argumentLines(args: readonly Argument[]): string[] {
  return args.flatMap((argument) => [
    '.TP',
    `.I ${text(argument.name().toUpperCase())}`,
    text(argument.description),
  ]);
}

function optionLines(options: readonly Option[]): string[] {
  return options
    .filter(({ hidden }) => !hidden)
    .flatMap((option) => {
      const choices = option.argChoices === undefined ? '' : ` (${option.argChoices.join(', ')})`;
      return ['.TP', `.B ${text(option.flags)}`, text(option.description + choices)];
    });
}

/** What help shows behind the options. */
function examples(command: Command, heading = '.SH EXAMPLES'): string[] {
  let shown = '';
  (command as unknown as NodeJS.EventEmitter).emit('afterHelp', {
    error: false,
    command,
    write: (more: string) => {
      shown += more;
    },
  });
  const [list = '', ...notes] = shown
    .trim()
    .replace(/^Examples:\n/, '')
    .split('\n\n');
  if (list === '') return [];
  return [
    heading,
    '.nf',
    ...list.split('\n').map((line) => text(line.replace(/^ {2}/, ''))),
    '.fi',
    ...notes.flatMap((note) => ['.PP', ...note.split('\n').map(text)]),
  ];
}

function visible(command: Command): Command[] {
  return command
    .createHelp()
    .visibleCommands(command)
    .filter((child) => child.name() !== 'help');
}

function sentence(words: string): string {
  return /[.!?]$/.test(words) || words === '' ? words : `${words}.`;
}

function lowerFirst(words: string): string {
  return words.charAt(0).toLowerCase() + words.slice(1);
}

/**
 * Text that roff shows as it is: no escapes, ASCII only, no requests at the beginning of a line, hyphens that can be
 * copied.
 */
function text(words: string): string {
  const escaped = words
    .replaceAll('\\', '\\e')
    .replaceAll('-', '\\-')
    .replace(/\n/g, ' ')
    .replace(
      /[^\x20-\x7e]/gu,
      (character) => `\\[u${character.codePointAt(0)!.toString(16).toUpperCase().padStart(4, '0')}]`,
    );
  return /^[.']/.test(escaped) ? `\\&${escaped}` : escaped;
}
