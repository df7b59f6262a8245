import type { Diagnostic, Severity } from '../../plan/diagnostic.js';
import type { SourcePosition } from '../../plan/source.js';
import type { Finding, Findings } from './issue.js';

/** All findings of a definition as diagnostics, with their places in the file when there is one. */
export function toDiagnostics(
  { issues, problems, warnings }: Findings,
  positionOf?: (path: string) => SourcePosition | undefined,
): Diagnostic[] {
  const convert =
    (severity: Severity) =>
    (finding: Finding): Diagnostic => {
      const position = positionOf?.(finding.path);
      return {
        code: finding.code,
        severity,
        message: finding.message,
        path: finding.path,
        ...(position === undefined ? {} : { position }),
        ...(finding.hint === undefined ? {} : { hint: finding.hint }),
      };
    };
  return [
    ...issues.map(convert('error')),
    ...problems.map(convert('error')),
    ...warnings.map(convert('warning')),
  ];
}
