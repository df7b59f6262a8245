import { hash } from 'node:crypto';

/** SHA-256 as a short text: a key of fixed length for texts of any length. */
export function digest(text: string): string {
  return hash('sha256', text, 'base64url');
}
