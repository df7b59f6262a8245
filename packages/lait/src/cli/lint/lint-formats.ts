import { printableName } from '../../values/printable.js';
import { packageVersion } from '../version.js';
import type { LintedFile } from './lint-file.js';

export type LintFormat = 'text' | 'json' | 'github' | 'sarif';

interface Style {
  color: boolean;
}

/** What `lait lint` prints in each format; the formatters are loaded when there is something to print. Facts §17. */
export const lintFormats: Readonly<
  Record<LintFormat, (files: readonly LintedFile[], style: Style) => Promise<string>>
> = {
  async text(files, style) {
    const texts: string[] = [];
    for (const file of files) texts.push(await fileText(file, style));
    return texts.join('');
  },
  async json(files) {
    const { formatDiagnosticsJson } = await import('../../plan/format-diagnostics.js');
    return json(files.flatMap(({ file, diagnostics }) => formatDiagnosticsJson(file, diagnostics)));
  },
  async github(files) {
    const { formatDiagnosticsGithub } = await import('../../plan/format-diagnostics.js');
    const found = files.filter(({ diagnostics }) => diagnostics.length > 0);
    return found.map(({ file, diagnostics }) => `${formatDiagnosticsGithub(file, diagnostics)}\n`).join('');
  },
  async sarif(files) {
    const { formatDiagnosticsSarif } = await import('../../plan/format-sarif.js');
    const { explanations } = await import('../../dialects/explanations.js');
    return json(formatDiagnosticsSarif(files, packageVersion(), explanations));
  },
};

/** `FILE: OK`, or `FILE:` and its problems, indented. */
async function fileText({ file, diagnostics, sources }: LintedFile, { color }: Style): Promise<string> {
  if (diagnostics.length === 0) return `${printableName(file)}: OK\n`;
  const { formatDiagnostics } = await import('../../plan/format-diagnostics.js');
  const text = formatDiagnostics(diagnostics, { sources, color });
  return `${printableName(file)}:\n${text.replace(/^/gm, '  ')}\n`;
}

function json(value: unknown): string {
  return `${JSON.stringify(value, null, 2)}\n`;
}
