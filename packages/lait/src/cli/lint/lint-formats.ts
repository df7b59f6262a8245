import {
  formatDiagnostics,
  formatDiagnosticsGithub,
  formatDiagnosticsJson,
} from '../../plan/format-diagnostics.js';
import { formatDiagnosticsSarif } from '../../plan/format-sarif.js';
import { packageVersion } from '../version.js';
import type { LintedFile } from './lint-file.js';

export type LintFormat = 'text' | 'json' | 'github' | 'sarif';

/** What `lait lint` prints in each format. Source: facts §17. */
export const lintFormats: Readonly<
  Record<LintFormat, (files: readonly LintedFile[], options: { color: boolean }) => string>
> = {
  text: (files, options) => files.map((file) => fileText(file, options)).join(''),
  json: (files) => json(files.flatMap(({ file, diagnostics }) => formatDiagnosticsJson(file, diagnostics))),
  github: (files) => {
    const found = files.filter(({ diagnostics }) => diagnostics.length > 0);
    return found.map(({ file, diagnostics }) => `${formatDiagnosticsGithub(file, diagnostics)}\n`).join('');
  },
  sarif: (files) => json(formatDiagnosticsSarif(files, packageVersion())),
};

/** `FILE: OK`, or `FILE:` and its problems, indented. */
function fileText({ file, diagnostics, sources }: LintedFile, { color }: { color: boolean }): string {
  if (diagnostics.length === 0) return `${file}: OK\n`;
  const text = formatDiagnostics(diagnostics, { sources, color });
  return `${file}:\n${text.replace(/^/gm, '  ')}\n`;
}

function json(value: unknown): string {
  return `${JSON.stringify(value, null, 2)}\n`;
}
