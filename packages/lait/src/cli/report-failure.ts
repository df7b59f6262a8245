import { explainOverflow } from '../errors/explain-overflow.js';
import { isLaitError, messageChain } from '../errors/lait-error.js';
import { causes, problemsBehind } from '../errors/problems-behind.js';
import { preview, printable } from '../values/printable.js';
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
  const { diagnostics, sources } = problemsBehind(error);
  if (diagnostics.length > 0) {
    const { formatDiagnostics } = await import('../plan/format-diagnostics.js');
    output.line(formatDiagnostics(diagnostics, { sources, color: output.colored }));
  }
  if (verbosity >= 2) {
    const stacks = causes(error).map((cause) => cause.stack ?? String(cause));
    output.line(stacks.join('\ncaused by: '));
  }
  const line = preview(message, longestLine);
  const whole = printable(message.trim());
  if (line !== whole) output.line(whole);
  output.line(`${isLaitError(error) ? 'lait: ' : 'lait: unexpected error: '}${line}`);
}
