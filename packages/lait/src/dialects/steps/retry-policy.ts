import type { RetryPolicy } from '../../plan/settings.js';

interface RetryFields {
  max_attempts: number;
  delay_seconds?: number;
  backoff?: number;
}

/** `retry` with its defaults. Source: steps seed, エラー処理. */
export function retryPolicy(fields: unknown): RetryPolicy {
  const { max_attempts: maxAttempts, delay_seconds: delaySeconds = 0, backoff = 1 } = fields as RetryFields;
  return { maxAttempts, delaySeconds, backoff };
}
