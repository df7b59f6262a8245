import { isLaitError, messageChain } from '../errors/lait-error.js';
import type { ToolResult } from '../kinds/services.js';

/**
 * Runs a tool for a model: what goes wrong inside is told to the model and does not fail the request, unless the
 * request itself was cancelled or its time is over. Source: steps facts §12, field report FR-17.
 */
export async function toldToModel(signal: AbortSignal, run: () => Promise<string>): Promise<ToolResult> {
  try {
    return { text: await run(), isError: false };
  } catch (error) {
    if (signal.aborted || (isLaitError(error) && error.disposition === 'cancelled')) throw error;
    return { text: messageChain(error), isError: true };
  }
}
