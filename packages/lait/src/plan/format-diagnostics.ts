import stringWidth from 'string-width';
import { printable, printableName } from '../values/printable.js';
import type { Diagnostic } from './diagnostic.js';
import type { SourceFile } from './source.js';

export interface TextOptions {
  /** Texts of the files that positions point into, for the frames under the messages. */
  sources?: readonly SourceFile[];
  /** Colours for a terminal. Default false. */
  color?: boolean;
}

/** `lint --format text`: per problem one line `file:line:column: severity[code]: step: message`, a frame and a hint. */
export function formatDiagnostics(diagnostics: readonly Diagnostic[], options: TextOptions = {}): string {
  return diagnostics.map((diagnostic) => formatOne(diagnostic, options)).join('\n');
}

function formatOne(diagnostic: Diagnostic, { sources = [], color = false }: TextOptions): string {
  const { severity, code, position, hint } = diagnostic;
  const paint = (text: string, style: number) => (color ? `\u001b[${style}m${text}\u001b[0m` : text);
  const where =
    position === undefined ? '' : `${printableName(position.file)}:${position.line}:${position.column}: `;
  const kind = paint(`${severity}[${code}]`, severity === 'error' ? 31 : 33);
  const lines = [`${where}${kind}: ${sentence(diagnostic)}`];
  const text = sources.find(({ file }) => file === position?.file)?.text;
  if (position !== undefined && text !== undefined)
    lines.push(...frame(text, position, (marks) => paint(marks, 31)));
  if (hint !== undefined) lines.push(`  ${paint('hint', 36)}: ${printable(hint)}`);
  return lines.join('\n');
}

/** The message behind the step that it is about. */
export function sentence({ path, id, message }: Diagnostic): string {
  const step = [path, id === undefined ? undefined : `(id '${id}')`]
    .filter((part) => part !== undefined)
    .join(' ');
  return printable(step === '' ? message : `${step}: ${message}`);
}

/** More of a line than this is not shown around a problem. */
const widest = 100;

/** The line with carets under the part that is wrong, aligned by display width: wide characters take two columns. */
function frame(
  text: string,
  position: { line: number; start: number; end: number },
  paint: (marks: string) => string,
) {
  const lineStart = text.lastIndexOf('\n', position.start - 1) + 1;
  const lineBreak = text.indexOf('\n', lineStart);
  const lineEnd = lineBreak === -1 ? text.length : lineBreak;
  const from = Math.max(lineStart, startOfCharacter(text, position.start - widest / 2));
  const to = Math.min(lineEnd, startOfCharacter(text, from + widest));
  const before = display(text.slice(from, position.start));
  const marked = display(text.slice(position.start, Math.max(position.start, Math.min(position.end, to))));
  const shown = `${from > lineStart ? '…' : ''}${display(text.slice(from, to))}${to < lineEnd ? '…' : ''}`;
  const gutter = String(position.line);
  const indent = ' '.repeat(stringWidth(before) + (from > lineStart ? 1 : 0));
  const carets = '^'.repeat(Math.max(1, stringWidth(marked)));
  return [`  ${gutter} | ${shown}`, `  ${' '.repeat(gutter.length)} | ${indent}${paint(carets)}`];
}

function startOfCharacter(text: string, offset: number): number {
  const code = text.charCodeAt(offset);
  return code >= 0xdc00 && code <= 0xdfff ? offset - 1 : offset;
}

/** A tab becomes two spaces; what a terminal would obey or not show is made visible. */
function display(text: string): string {
  return printable(text.replaceAll('\t', '  ').replace(/\r$/, ''));
}

/** `lint --format json`: one flat object per problem. Source: facts §17, extended by the place. */
export function formatDiagnosticsJson(file: string, diagnostics: readonly Diagnostic[]) {
  return diagnostics.map(({ code, severity, position, path, id, hint, message }) => ({
    file: position?.file ?? file,
    line: position?.line ?? null,
    column: position?.column ?? null,
    severity,
    code,
    message,
    ...(path !== undefined && { path }),
    ...(id !== undefined && { id }),
    ...(hint !== undefined && { hint }),
  }));
}

/** `lint --format github`: workflow commands of GitHub Actions. Source: facts §17. */
export function formatDiagnosticsGithub(file: string, diagnostics: readonly Diagnostic[]): string {
  return diagnostics
    .map((diagnostic) => {
      const { severity, code, position, hint } = diagnostic;
      const line = position === undefined ? '' : `,line=${position.line}`;
      const message =
        hint === undefined ? sentence(diagnostic) : `${sentence(diagnostic)} (${printable(hint)})`;
      return `::${severity} file=${property(printable(position?.file ?? file))}${line}::${data(`${message} [${code}]`)}`;
    })
    .join('\n');
}

function data(text: string): string {
  return text.replaceAll('%', '%25').replaceAll('\r', '%0D').replaceAll('\n', '%0A');
}

function property(text: string): string {
  return data(text).replaceAll(':', '%3A').replaceAll(',', '%2C');
}
