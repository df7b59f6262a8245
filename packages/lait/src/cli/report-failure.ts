import { DefinitionError } from '../errors/errors.js';
import { explainOverflow } from '../errors/explain-overflow.js';
import { isLaitError, messageChain } from '../errors/lait-error.js';
import { preview, printable } from '../observe/printable.js';
import type { Output } from './output.js';

/** More of a message than this is shown above the last line, not in it. */
const longestLine = 1000;

/**
 * Says on standard error what went wrong: the problems of a definition with their places, the stack with `-vv`, and
 * as the last line `lait: ` with the chain of causes. Source: facts §2.
 */
export async function reportFailure(
  failure: unknown,
  { output, verbosity }: { output: Output; verbosity: number },
): Promise<void> {
  const error = explainOverflow(failure);
  const message = messageChain(error) || 'failed';
  const definition = causes(error).find((cause) => cause instanceof DefinitionError);
  // What the last line says anyway is not said twice.
  const diagnostics = (definition?.diagnostics ?? []).filter(
    (diagnostic) => diagnostic.position !== undefined || !message.includes(diagnostic.message),
  );
  if (definition !== undefined && diagnostics.length > 0) {
    const { formatDiagnostics } = await import('../plan/format-diagnostics.js');
    output.line(formatDiagnostics(diagnostics, { sources: definition.sources, color: output.colored }));
  }
  if (verbosity >= 2) {
    const stacks = causes(error).map((cause) => cause.stack ?? String(cause));
    output.line(stacks.join('\ncaused by: '));
  }
  const line = preview(message, longestLine);
  if (message.trim().includes('\n')) output.line(printable(message.trimEnd()));
  output.line(`${isLaitError(error) ? 'lait: ' : 'lait: unexpected error: '}${line}`);
}

/** An error and its causes, outermost first. */
function causes(error: unknown): Error[] {
  const chain: Error[] = [];
  for (let current = error; current instanceof Error && !chain.includes(current); current = current.cause) {
    chain.push(current);
  }
  return chain;
}
