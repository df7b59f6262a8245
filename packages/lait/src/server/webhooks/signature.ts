import { createHmac, randomBytes, timingSafeEqual } from 'node:crypto';
import { HttpProblem } from '../http/problem.js';

/**
 * Signatures of webhooks in both directions. The headers and what is signed follow the Standard Webhooks specification,
 * for which libraries exist in many languages: `v1,` and the Base64 of an HMAC-SHA256 over `id.timestamp.body`.
 */

const prefix = 'whsec_';

/** A message may be so much older or newer than the server's clock says. */
const toleranceMs = 300_000;

/** A secret that counts; `until`: milliseconds since 1970, absent for the current one. */
export interface SigningSecret {
  secret: string;
  until?: number;
}

export interface SignedMessage {
  id: string;
  /** Seconds since 1970. */
  timestamp: number;
  body: string;
}

export function newSecret(): string {
  return `${prefix}${randomBytes(32).toString('base64')}`;
}

/** Whether a text can be a signing secret: 24 to 64 bytes in Base64 behind `whsec_`. */
export function isSecret(text: string): boolean {
  if (!text.startsWith(prefix)) return false;
  const encoded = text.slice(prefix.length);
  if (!/^[A-Za-z0-9+/]+={0,2}$/.test(encoded)) return false;
  const { length } = Buffer.from(encoded, 'base64');
  return length >= 24 && length <= 64;
}

/** The headers of a message, with a signature for each secret that counts. */
export function signedHeaders(
  message: SignedMessage,
  secrets: readonly SigningSecret[],
  now: number,
): Record<string, string> {
  return {
    'webhook-id': message.id,
    'webhook-timestamp': String(message.timestamp),
    'webhook-signature': current(secrets, now)
      .map((secret) => `v1,${signatureOf(message, secret).toString('base64')}`)
      .join(' '),
  };
}

/**
 * The id of a message whose signature is right and whose time is near. Throws an `HttpProblem` (401):
 * `signature_missing`, `signature_invalid`, `timestamp_outside`.
 */
export function verifiedId(
  headers: Headers,
  body: string,
  secrets: readonly SigningSecret[],
  now: number,
): string {
  const id = headers.get('webhook-id') ?? '';
  const time = headers.get('webhook-timestamp') ?? '';
  const given = headers.get('webhook-signature') ?? '';
  if (id === '' || time === '' || given === '')
    throw refused(
      'signature_missing',
      'the headers webhook-id, webhook-timestamp and webhook-signature are needed',
    );
  if (id.length > 200 || !/^\d{1,12}$/.test(time))
    throw refused('signature_invalid', 'the signature does not fit the message');
  const message = { id, timestamp: Number(time), body };
  const signatures = given
    .split(' ')
    .filter((part) => part.startsWith('v1,'))
    .slice(0, 10)
    .map((part) => Buffer.from(part.slice(3), 'base64'));
  const fits = current(secrets, now).some((secret) => {
    const expected = signatureOf(message, secret);
    return signatures.some(
      (signature) => signature.length === expected.length && timingSafeEqual(signature, expected),
    );
  });
  if (!fits) throw refused('signature_invalid', 'the signature does not fit the message');
  // Said to whoever knows the secret only.
  if (Math.abs(now - message.timestamp * 1000) > toleranceMs)
    throw refused('timestamp_outside', `the message is more than ${toleranceMs / 1000} s away from now`);
  return id;
}

/** The new secret in front; the one before it counts for a while. */
export function rotated(secrets: readonly SigningSecret[], secret: string, until: number): SigningSecret[] {
  const [before] = secrets;
  return before === undefined ? [{ secret }] : [{ secret }, { secret: before.secret, until }];
}

function current(secrets: readonly SigningSecret[], now: number): string[] {
  return secrets.filter(({ until }) => until === undefined || until > now).map(({ secret }) => secret);
}

function signatureOf({ id, timestamp, body }: SignedMessage, secret: string): Buffer {
  const key = Buffer.from(secret.slice(prefix.length), 'base64');
  return createHmac('sha256', key).update(`${id}.${timestamp}.${body}`).digest();
}

function refused(code: string, detail: string): HttpProblem {
  return new HttpProblem({ status: 401, code, detail });
}
