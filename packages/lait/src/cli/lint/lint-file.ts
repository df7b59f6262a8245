import { basename } from 'node:path';
import { configurationFileName } from '../../config/find-configuration.js';
import type { LintContext } from '../../config/lint-workflow.js';
import { DefinitionError } from '../../errors/errors.js';
import { isLaitError, messageChain } from '../../errors/lait-error.js';
import type { Diagnostic } from '../../plan/diagnostic.js';
import { readRegularFile } from '../../plan/read-source.js';
import type { SourceFile } from '../../plan/source.js';
import { testKindOf } from '../../testing/test-kind.js';

export interface LintedFile {
  file: string;
  diagnostics: readonly Diagnostic[];
  /** Texts for the frames. */
  sources: readonly SourceFile[];
}

/** Every problem of a file, by what kind of file it is: configuration, agent, test, eval, or a workflow of any form. */
export async function lintFile(file: string, context: LintContext): Promise<LintedFile> {
  const { signal } = context;
  const sources: SourceFile[] = [];
  // Not even read: what is wrong in a picture helps nobody.
  if (!/\.(ya?ml|json|md)$/.test(file)) {
    const message =
      'its extension is not that of a definition: give .yml, .yaml, .json or .md files, or a directory';
    return { file, sources, diagnostics: [{ code: 'file_extension', severity: 'error', message }] };
  }
  try {
    const source = await readRegularFile(file, { signal });
    sources.push(source);
    return { file, sources, diagnostics: await lintSource(source, context) };
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

async function lintSource(source: SourceFile, context: LintContext): Promise<readonly Diagnostic[]> {
  if (basename(source.file) === configurationFileName) {
    const { lintConfiguration } = await import('../../config/lint-configuration.js');
    return lintConfiguration(source);
  }
  if (source.file.endsWith('.md')) {
    const { lintAgent } = await import('../../config/lint-agent.js');
    return lintAgent(source, context);
  }
  const test = testKindOf(source.text);
  if (test !== undefined) {
    const { checkTestSource } = await import('../../testing/read-test-file.js');
    return checkTestSource(source, test);
  }
  const { lintWorkflow } = await import('../../config/lint-workflow.js');
  return lintWorkflow(source, context);
}
