import { UsageError } from '../../errors/errors.js';

/**
 * Where spans are sent: `url` is the base of a collector, or the whole address when it has a path. Throws a `UsageError`
 * (code `otlp_url_invalid`) for what is no http(s) URL; `setting` names where it was given.
 */
export function otlpEndpoint(url: string, setting = '--otlp'): string {
  const parsed = URL.canParse(url) ? new URL(url) : undefined;
  if (parsed === undefined || !/^https?:$/.test(parsed.protocol)) {
    throw new UsageError({
      code: 'otlp_url_invalid',
      message: `${setting}: '${url}' is no http(s) URL, such as http://localhost:4318`,
    });
  }
  if (parsed.pathname === '/') parsed.pathname = '/v1/traces';
  return parsed.href;
}
