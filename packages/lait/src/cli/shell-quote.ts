/** Whose command line a printed command is for. */
export type Shell = 'posix' | 'cmd' | 'powershell';

/** The shell that a person on this platform most likely pastes into. */
export function usualShell(
  platform: NodeJS.Platform,
  variables: Readonly<Record<string, string | undefined>>,
): Shell {
  if (platform !== 'win32') return 'posix';
  // Git Bash and its like set SHELL; cmd.exe sets PROMPT for its children, PowerShell does not.
  if (variables.SHELL !== undefined) return 'posix';
  return variables.PROMPT === undefined ? 'powershell' : 'cmd';
}

/**
 * A command that can be copied into a shell as it is: each argument is quoted by that shell's own rules. Only for
 * showing; programs are started with argument lists. Source: field report FR-41.
 */
export function quoteCommand(command: readonly string[], shell: Shell): string {
  return command.map((argument) => quoteArgument(argument, shell)).join(' ');
}

/** One argument, quoted only when it needs to be. */
export function quoteArgument(argument: string, shell: Shell): string {
  if (shell === 'posix') return quotePosix(argument);
  return shell === 'cmd' ? quoteCmd(argument) : quotePowerShell(argument);
}

function quotePosix(argument: string): string {
  if (/^[\p{L}\p{N}_@%+=:,./-]+$/u.test(argument)) return argument;
  return `'${argument.replaceAll("'", `'\\''`)}'`;
}

/**
 * cmd.exe passes the text on and the program splits it: backslashes before a quote are doubled, and a quote is written
 * twice, so that both see the text as quoted throughout. Inside of quotes cmd keeps `& | < > ^` literal; `%` is escaped
 * with a caret between quotes.
 */
function quoteCmd(argument: string): string {
  if (/^[\p{L}\p{N}_@+=:,./\\-]+$/u.test(argument)) return argument;
  const escaped = argument.replace(/(\\*)("|%|$)/g, (_, slashes: string, end: string) => {
    const after = end === '"' ? '""' : end === '%' ? '"^%"' : '';
    return slashes + slashes + after;
  });
  return `"${escaped}"`;
}

function quotePowerShell(argument: string): string {
  if (/^[\p{L}\p{N}_%+=:./\\-]+$/u.test(argument) && !argument.startsWith('-')) return argument;
  if (/^--?[\p{L}\p{N}-]+$/u.test(argument)) return argument;
  return `'${argument.replace(/['\u2018\u2019\u201a\u201b]/g, '$&$&')}'`;
}
