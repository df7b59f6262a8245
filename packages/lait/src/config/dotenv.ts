import { DefinitionError } from '../errors/errors.js';
import type { Diagnostic } from '../plan/diagnostic.js';

const assignment = /^(?:export[ \t]+)?([A-Za-z_][A-Za-z0-9_]*)[ \t]*=[ \t]*(.*)$/s;
const escapes: Readonly<Record<string, string>> = {
  n: '\n',
  r: '\r',
  t: '\t',
  '"': '"',
  "'": "'",
  '\\': '\\',
  $: '$',
  '`': '`',
};

/**
 * Parses a `.env` file: `NAME=value` lines, bare, in single quotes (literal) or in double quotes (with escapes), with
 * an optional `export`. A value ends with its line. Every bad line is reported, with its number; values never appear
 * in a message. Throws a `DefinitionError` (code `env_file_invalid`). Source: facts §1.1.
 */
export function parseDotenv(text: string, file: string): Record<string, string> {
  const variables: Record<string, string> = Object.create(null);
  const diagnostics: Diagnostic[] = [];
  let start = 0;
  for (const [index, line] of text.split('\n').entries()) {
    const problem = readLine(line.endsWith('\r') ? line.slice(0, -1) : line, variables);
    if (problem !== undefined) {
      diagnostics.push({
        code: 'env_file_invalid',
        severity: 'error',
        message: problem,
        position: { file, line: index + 1, column: 1, start, end: start + line.length },
      });
    }
    start += line.length + 1;
  }
  if (diagnostics.length > 0) {
    throw new DefinitionError({
      code: 'env_file_invalid',
      message: `${file} has ${diagnostics.length === 1 ? 'a bad line' : `${diagnostics.length} bad lines`}`,
      diagnostics,
    });
  }
  return variables;
}

/** Reads one line into `variables`; gives back what is wrong with it. */
function readLine(line: string, variables: Record<string, string>): string | undefined {
  const trimmed = line.trim();
  if (trimmed === '' || trimmed.startsWith('#')) return undefined;
  if (trimmed.includes('\0')) return 'a NUL character is not allowed';
  const match = assignment.exec(trimmed);
  if (match === null) return 'write NAME=value, with a name of letters, digits and underscores';
  const name = match[1]!;
  const value = readValue(match[2]!);
  if (typeof value !== 'string') return `${name}: ${value.problem}`;
  variables[name] = value;
  return undefined;
}

function readValue(source: string): string | { problem: string } {
  const quote = source[0];
  if (quote !== '"' && quote !== "'") return bareValue(source);
  const { value, end, problem } = quote === "'" ? literalValue(source) : escapedValue(source);
  if (problem !== undefined) return { problem };
  const rest = source.slice(end).trimStart();
  if (rest !== '' && !rest.startsWith('#')) return { problem: 'text behind the closing quote' };
  return value;
}

/** A bare value ends at white space followed by `#`. */
function bareValue(source: string): string {
  if (source.startsWith('#')) return '';
  const comment = /[ \t]#/.exec(source);
  return (comment === null ? source : source.slice(0, comment.index)).trimEnd();
}

interface QuotedValue {
  value: string;
  end: number;
  problem?: string;
}

const unclosed = 'the closing quote is missing (a value cannot span lines; write \\n in double quotes)';

function literalValue(source: string): QuotedValue {
  const end = source.indexOf("'", 1);
  if (end < 0) return { value: '', end: 0, problem: unclosed };
  return { value: source.slice(1, end), end: end + 1 };
}

function escapedValue(source: string): QuotedValue {
  let value = '';
  for (let index = 1; index < source.length; index++) {
    const character = source[index]!;
    if (character === '"') return { value, end: index + 1 };
    if (character !== '\\') {
      value += character;
      continue;
    }
    index++;
    const escaped = source[index];
    if (escaped === undefined) break;
    if (!Object.hasOwn(escapes, escaped)) {
      return { value, end: index, problem: `unknown escape \\${escaped} (write \\\\ for a backslash)` };
    }
    value += escapes[escaped];
  }
  return { value, end: source.length, problem: unclosed };
}
