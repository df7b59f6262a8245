import { createHash } from 'node:crypto';
import type { Address } from './runtime.js';

/**
 * The idempotency key of an effect: a UUID derived from the run and the address without the effect's own attempt.
 * The graph form calls it the activation id.
 */
export function idempotencyKey(runId: string, address: Address): string {
  const hex = createHash('sha256').update(runId).update('\0').update(address).digest('hex');
  const variant = ((Number.parseInt(hex[16]!, 16) & 0x3) | 0x8).toString(16);
  return `${hex.slice(0, 8)}-${hex.slice(8, 12)}-8${hex.slice(13, 16)}-${variant}${hex.slice(17, 20)}-${hex.slice(20, 32)}`;
}
