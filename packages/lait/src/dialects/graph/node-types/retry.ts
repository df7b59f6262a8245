import type { RetryPolicy } from '../../../plan/settings.js';
import { isObject, type JsonValue, ownProperty } from '../../../values/value.js';
import type { GraphNode } from '../definition.js';
import type { GraphCheck } from '../graph-check.js';

/** What no repetition can repair: values that are missing or wrong, and decisions of a person. Facts §3.4, §7.3. */
const neverRepeated = [
  'reference_unresolved',
  'pipe_failed',
  'expression_failed',
  'inputs_invalid',
  'attention_failed',
] as const;

/** `retry: {max_attempts, backoff_seconds}`. Source: graph seed, capability Node. */
export function checkRetry(node: GraphNode, check: GraphCheck): void {
  const retry = ownProperty(node.config, 'retry');
  if (retry === undefined || retry === null) return;
  if (!isObject(retry)) {
    check.report(
      node,
      'retry_max_attempts',
      'retry must be an object {max_attempts, backoff_seconds}',
      'retry',
    );
    return;
  }
  for (const key of Object.keys(retry)) {
    if (key !== 'max_attempts' && key !== 'backoff_seconds')
      check.warn(node, 'config_unknown_key', `retry has no '${key}'`, 'retry', key);
  }
  const attempts = ownProperty(retry, 'max_attempts');
  if (attempts !== undefined && !(Number.isInteger(attempts) && (attempts as number) >= 0)) {
    check.report(
      node,
      'retry_max_attempts',
      'max_attempts must be an integer of at least 0: the number of further attempts',
      'retry',
      'max_attempts',
    );
  }
  const backoff = ownProperty(retry, 'backoff_seconds');
  if (backoff !== undefined && !(typeof backoff === 'number' && backoff >= 0)) {
    check.report(
      node,
      'retry_backoff',
      'backoff_seconds must be a number of at least 0',
      'retry',
      'backoff_seconds',
    );
  }
}

/** `max_attempts` counts further attempts; the wait between them stays the same. Source: graph facts §7.3. */
export function retryPolicy(retry: JsonValue | undefined): RetryPolicy {
  const settings = isObject(retry) ? retry : {};
  return {
    maxAttempts: 1 + Number(settings.max_attempts ?? 0),
    delaySeconds: Number(settings.backoff_seconds ?? 0),
    backoff: 1,
    except: neverRepeated,
  };
}
