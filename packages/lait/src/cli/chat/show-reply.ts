import { printable } from '../../values/printable.js';
import type { Output } from '../output.js';

/**
 * Writes what a model said to standard output. On a terminal without control characters: a reply must not move the
 * cursor or recolour the screen. A file or a pipe gets it as it is.
 */
export function showReply(output: Output, text: string): Promise<void> {
  return output.write(process.stdout.isTTY === true ? printable(text) : text);
}
