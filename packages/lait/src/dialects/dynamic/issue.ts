import { DefinitionError } from '../../errors/errors.js';
import type { Diagnostic } from '../../plan/diagnostic.js';
import type { IssueCode, ProblemCode, WarningCode } from './issue-codes.js';

/** One finding: where in the definition, what is wrong, and a repair when one is evident. */
export interface Finding<Code extends string = string> {
  code: Code;
  /** Dotted, e.g. `graph.2.steps.0.toolId`. */
  path: string;
  message: string;
  hint?: string;
}

export type Issue = Finding<IssueCode>;
export type Problem = Finding<ProblemCode>;
export type Warning = Finding<WarningCode>;

/** Everything the checks found, the three kinds apart. Only warnings leave a definition usable. */
export interface Findings {
  issues: Issue[];
  problems: Problem[];
  warnings: Warning[];
}

/**
 * A definition, or a bundle of them, was refused. `issues` holds what the reference would report; `diagnostics` holds
 * every finding of the definition. Source: dynamic facts §1.3.
 */
export class DynamicWorkflowError extends DefinitionError {
  readonly issues: readonly Issue[];

  constructor(message: string, issues: readonly Issue[], diagnostics: readonly Diagnostic[]) {
    super({ code: 'dynamic_workflow_invalid', message, diagnostics });
    this.issues = issues;
  }
}

/** The error for a definition with issues, or, without any, for its first other problem. */
export function refusalOf(
  id: string,
  findings: Findings,
  diagnostics: readonly Diagnostic[],
): DynamicWorkflowError {
  const { issues, problems } = findings;
  if (issues.length === 0) return new DynamicWorkflowError(problems[0]!.message, [], diagnostics);
  const lines = issues.map(({ code, path, message }) => `- [${code}] ${path}: ${message}`);
  const title = `Dynamic workflow "${id}" failed validation with ${issues.length} issue(s):`;
  return new DynamicWorkflowError([title, ...lines].join('\n'), issues, diagnostics);
}
