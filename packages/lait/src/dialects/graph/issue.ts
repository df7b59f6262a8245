import type { Diagnostic, Severity } from '../../plan/diagnostic.js';
import type { LineIndex } from '../../plan/line-index.js';
import type { SourcePosition } from '../../plan/source.js';
import { didYouMean } from '../../plan/suggest.js';
import type { Misnamed } from '../../values/misnamed.js';
import type { DefinitionPath } from './definition.js';
import type { GraphIssueCode } from './issue-codes.js';

/** One problem of a graph: a diagnostic that also names its node or edge. Source: graph facts §6. */
export interface GraphIssue extends Diagnostic {
  code: GraphIssueCode;
  node_id?: string;
  edge_id?: string;
}

export interface IssueReport {
  code: GraphIssueCode;
  message: string;
  /** Default `error`. */
  severity?: Severity;
  node_id?: string;
  edge_id?: string;
  path?: DefinitionPath;
  hint?: string;
  /** Gives the hint `did you mean …?` when one of the known names is close. */
  misnamed?: Misnamed | undefined;
  /** Default: where the path stands. */
  position?: SourcePosition;
}

/** Finds where a path stands in the text; undefined for definitions that a program handed over. */
export interface PositionFinder {
  file: string;
  lines: LineIndex;
  range(path: DefinitionPath): readonly [number, number] | undefined;
}

/** More than this many issues of one graph help nobody; the rest is counted. */
const mostIssues = 1000;

/** How much is compared to find suggestions for one graph, in pairs of characters: some 100 ms of work. */
const mostCompared = 20_000_000;

/** Collects the issues of one graph. */
export class GraphIssues {
  readonly #issues: GraphIssue[] = [];
  #left = 0;
  #errors = 0;
  #toCompare = mostCompared;

  constructor(readonly positions?: PositionFinder) {}

  get errors(): number {
    return this.#errors;
  }

  add({ code, message, severity = 'error', node_id, edge_id, path, misnamed, ...report }: IssueReport): void {
    if (severity === 'error') this.#errors += 1;
    if (this.#issues.length >= mostIssues) {
      this.#left += 1;
      return;
    }
    const issue: GraphIssue = { code, severity, message };
    if (node_id !== undefined) issue.node_id = node_id;
    if (edge_id !== undefined) issue.edge_id = edge_id;
    const id = node_id ?? edge_id;
    if (id !== undefined) issue.id = id;
    if (path !== undefined) issue.path = pathOf(path);
    const hint = report.hint ?? (misnamed && this.#suggestion(misnamed));
    if (hint !== undefined) issue.hint = hint;
    const position = report.position ?? this.positionOf(path);
    if (position !== undefined) issue.position = position;
    this.#issues.push(issue);
  }

  /** Undefined also when it would be too much work: graphs may come from strangers. */
  #suggestion({ name, known }: Misnamed): string | undefined {
    const names = [...known];
    const work = name.length * names.reduce((sum, one) => sum + one.length, 0);
    if (work > this.#toCompare) return undefined;
    this.#toCompare -= work;
    return didYouMean(name, names);
  }

  positionOf(path: DefinitionPath | undefined) {
    if (this.positions === undefined || path === undefined) return undefined;
    const range = this.positions.range(path);
    return range && this.positions.lines.position(this.positions.file, range[0], range[1]);
  }

  /** All issues in the order of the text; those without a place first. */
  list(): GraphIssue[] {
    const sorted = [...this.#issues].sort((a, b) => (a.position?.start ?? -1) - (b.position?.start ?? -1));
    if (this.#left > 0) {
      const message = `${this.#left} more issues are not shown: repair the first ones and check again`;
      sorted.push({ code: 'too_many_issues', severity: 'error', message });
    }
    return sorted;
  }
}

/** `nodes[2].config.inputs.x`. */
function pathOf(path: DefinitionPath): string {
  return path
    .map((part, at) => (typeof part === 'number' ? `[${part}]` : at === 0 ? part : `.${part}`))
    .join('');
}
