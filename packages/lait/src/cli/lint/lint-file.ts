import { basename, dirname } from 'node:path';
import { configurationFileName } from '../../config/find-configuration.js';
import { DefinitionError } from '../../errors/errors.js';
import { isLaitError, messageChain } from '../../errors/lait-error.js';
import type { Diagnostic } from '../../plan/diagnostic.js';
import { readSourceFile } from '../../plan/read-source.js';
import type { SourceFile } from '../../plan/source.js';

export interface LintedFile {
  file: string;
  diagnostics: readonly Diagnostic[];
  /** Texts for the frames. */
  sources: readonly SourceFile[];
}

/** Every problem of a file, by what kind of file it is: configuration, agent, or a workflow of any form. */
export async function lintFile(file: string, signal: AbortSignal): Promise<LintedFile> {
  const sources: SourceFile[] = [];
  try {
    const source = await readSourceFile(file, { signal, pipes: false });
    sources.push(source);
    return { file, sources, diagnostics: await lintSource(source) };
  } catch (error) {
    signal.throwIfAborted();
    if (error instanceof DefinitionError && error.diagnostics.length > 0) {
      return { file, sources, diagnostics: error.diagnostics };
    }
    if (!isLaitError(error)) throw error;
    const { code } = error;
    return { file, sources, diagnostics: [{ code, severity: 'error', message: messageChain(error) }] };
  }
}

async function lintSource(source: SourceFile): Promise<readonly Diagnostic[]> {
  if (basename(source.file) === configurationFileName) {
    const { checkConfiguration } = await import('../../config/read-configuration.js');
    return checkConfiguration(source, dirname(source.file)).problems.list();
  }
  if (source.file.endsWith('.md')) {
    const { loadAgent } = await import('../../dialects/steps/read-agent-file.js');
    return loadAgent(source).diagnostics;
  }
  const { checkPlanText } = await import('../../config/load-plan.js');
  return checkPlanText(source);
}
