import { createHash } from 'node:crypto';

/** SHA-256 as a short text: a key of fixed length for texts of any length. */
export function digest(text: string): string {
  return createHash('sha256').update(text).digest('base64url');
}
