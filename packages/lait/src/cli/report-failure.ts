import { DefinitionError } from '../errors/errors.js';
import { isLaitError, messageChain } from '../errors/lait-error.js';
import type { Output } from './output.js';

/**
 * Says on standard error what went wrong: the problems of a definition with their places, the stack with `-vv`, and
 * as the last line `lait: ` with the chain of causes. Source: facts §2.
 */
export async function reportFailure(
  error: unknown,
  { output, verbosity }: { output: Output; verbosity: number },
): Promise<void> {
  if (error instanceof DefinitionError && error.diagnostics.length > 0) {
    const { formatDiagnostics } = await import('../plan/format-diagnostics.js');
    output.line(formatDiagnostics(error.diagnostics, { sources: error.sources, color: output.colored }));
  }
  if (verbosity >= 2) output.line(stacks(error));
  const prefix = isLaitError(error) ? 'lait: ' : 'lait: unexpected error: ';
  output.line(prefix + (messageChain(error) || 'failed'));
}

/** Where an error and its causes came from. */
function stacks(error: unknown): string {
  const parts: string[] = [];
  for (let current = error; current instanceof Error && parts.length < 20; current = current.cause) {
    parts.push(current.stack ?? String(current));
  }
  return parts.join('\ncaused by: ');
}
