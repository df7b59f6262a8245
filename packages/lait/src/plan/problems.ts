import type { Diagnostic, Severity } from './diagnostic.js';
import type { DiagnosticCode } from './diagnostic-codes.js';
import { LineIndex } from './line-index.js';
import type { SourceFile, SourcePosition } from './source.js';

/** A place in the text, as character offsets; absent for definitions that a program handed over. */
export interface TextRange {
  start: number;
  end: number;
}

export interface Problem {
  code: DiagnosticCode;
  message: string;
  /** Default `error`. */
  severity?: Severity;
  range?: TextRange;
  path?: string;
  id?: string;
  hint?: string;
}

/** More than this many problems of one file help nobody; the rest is counted. */
const mostProblems = 1000;

/** Collects the problems of one source file. */
export class Problems {
  readonly #diagnostics: Diagnostic[] = [];
  readonly #lines: LineIndex;
  #left = 0;
  #errors = 0;

  constructor(readonly source: SourceFile) {
    this.#lines = new LineIndex(source.text);
  }

  /** How many errors were found; compare before and after to know whether a part was right. */
  get errors(): number {
    return this.#errors;
  }

  add(problem: Problem): void {
    const { code, message, severity = 'error', range, path, id, hint } = problem;
    if (severity === 'error') this.#errors += 1;
    if (this.#diagnostics.length >= mostProblems) {
      this.#left += 1;
      return;
    }
    const diagnostic: Diagnostic = { code, severity, message };
    const position = this.position(range);
    if (position !== undefined) diagnostic.position = position;
    if (path !== undefined) diagnostic.path = path;
    if (id !== undefined) diagnostic.id = id;
    if (hint !== undefined) diagnostic.hint = hint;
    this.#diagnostics.push(diagnostic);
  }

  position(range: TextRange | undefined): SourcePosition | undefined {
    return range && this.#lines.position(this.source.file, range.start, range.end);
  }

  /** The first error and its place, for who tells no more than that; undefined without one. */
  firstError(): string | undefined {
    const first = this.list().find(({ severity }) => severity === 'error');
    if (first?.position === undefined) return first?.message;
    const { line, column } = first.position;
    return `${first.message} at line ${line}, column ${column}`;
  }

  /** All problems in the order of the source; those without a place come first. */
  list(): Diagnostic[] {
    const sorted = this.#diagnostics
      .map((diagnostic, index) => ({ diagnostic, index }))
      .sort(
        (a, b) =>
          (a.diagnostic.position?.start ?? -1) - (b.diagnostic.position?.start ?? -1) || a.index - b.index,
      )
      .map(({ diagnostic }) => diagnostic);
    if (this.#left > 0) {
      sorted.push({
        code: 'too_many_problems',
        severity: 'error',
        message: `${this.#left} more problems are not shown: repair the first ones and check again`,
        ...(sorted.at(-1)?.position !== undefined && { position: sorted.at(-1)!.position }),
      });
    }
    return sorted;
  }
}
