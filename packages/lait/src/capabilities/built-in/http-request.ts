import { StepError } from '../../errors/errors.js';
import type { Capability } from '../../kinds/services.js';
import { isObject, type JsonObject } from '../../values/value.js';
import { type BoundedResponse, requestBounded } from '../bounded-request.js';
import type { CapabilitySettings } from '../capability-settings.js';
import { describeCapability } from '../define-capability.js';
import { bodyOf } from '../http-capability.js';
import { isPrivateAddress } from '../private-addresses.js';

const defaultMaxBytes = 1_048_576;
const defaultTimeoutSeconds = 30;
const maxRedirects = 5;
/** Headers that decide how the message is framed, or whom the server believes. */
const refusedHeaders =
  /^(host|content-length|transfer-encoding|connection|upgrade|te|trailer|expect|proxy-.*)$/i;

/**
 * One HTTP request to a host of the allow-list. Private addresses are refused unless their host is listed; redirects
 * are followed for GET and HEAD, each checked again. Source: graph facts §10.
 */
export function httpRequest(key: string, settings: CapabilitySettings): Capability {
  return {
    ...describeCapability(key, {
      description: 'Sends an HTTP request to a host of the allow-list.',
      input_schema: {
        type: 'object',
        properties: {
          method: { enum: ['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE'] },
          url: { type: 'string', minLength: 1, maxLength: 8192 },
          headers: { type: 'object' },
          body: { type: 'string' },
          timeout_ms: { type: 'integer', minimum: 1 },
        },
        required: ['method', 'url'],
        additionalProperties: false,
      },
      output_schema: {
        type: 'object',
        properties: {
          status: { type: 'integer' },
          ok: { type: 'boolean' },
          headers: { type: 'object' },
          body: { type: 'string' },
        },
        required: ['status', 'ok', 'headers', 'body'],
      },
      ...settings,
    }),
    async execute(inputs, context) {
      const method = String(inputs.method);
      const limitMs = (settings.timeout_seconds ?? defaultTimeoutSeconds) * 1000;
      const timeoutMs = Math.min(
        typeof inputs.timeout_ms === 'number' ? inputs.timeout_ms : limitMs,
        limitMs,
      );
      const headers = { ...headersOf(inputs.headers), 'idempotency-key': context.activationId };
      let url = checkedUrl(String(inputs.url), key, settings);
      for (let hop = 0; ; hop += 1) {
        const response = await requestBounded({
          method,
          url,
          headers,
          ...(typeof inputs.body === 'string' && { body: inputs.body }),
          signal: context.signal,
          timeoutMs,
          maxBytes: settings.max_bytes ?? defaultMaxBytes,
          mayConnect: (address) => !isPrivateAddress(address) || listed(url, settings.allowed_private_hosts),
        });
        const next = redirectOf(method, response, url);
        if (next === undefined)
          return { status: 'succeeded', output: outputOf(response), effects: settings.effects ?? [] };
        if (hop >= maxRedirects)
          throw new StepError({
            code: 'http_failed',
            message: `${url.origin} redirects more than ${maxRedirects} times`,
          });
        const target = checkedUrl(next, key, settings);
        // What was meant for one host is not handed to another.
        if (target.origin !== url.origin)
          for (const name of ['authorization', 'cookie']) delete (headers as Record<string, string>)[name];
        url = target;
      }
    },
  };
}

function checkedUrl(text: string, key: string, settings: CapabilitySettings): URL {
  const refuse = (message: string) => new StepError({ code: 'http_refused', message });
  let url: URL;
  try {
    url = new URL(text);
  } catch {
    throw refuse('the url is no absolute URL');
  }
  if (url.protocol !== 'http:' && url.protocol !== 'https:')
    throw refuse(`'${url.protocol}' is no protocol of web requests`);
  if (url.username !== '' || url.password !== '') throw refuse('the url must not hold a user or a password');
  const allowed = [...(settings.allowed_hosts ?? []), ...(settings.allowed_private_hosts ?? [])];
  if (!listed(url, allowed))
    throw refuse(`host '${url.host}' is not listed under capabilities.${key}.allowed_hosts`);
  return url;
}

/** Whether a host is listed: exactly, with its port, or as a subdomain of `*.name`. */
function listed({ hostname, host }: URL, hosts: readonly string[] = []): boolean {
  return hosts.some((entry) => {
    const name = entry.toLowerCase();
    if (name.startsWith('*.')) return hostname.endsWith(name.slice(1));
    return name === hostname || name === host;
  });
}

function headersOf(given: unknown): Record<string, string> {
  const headers: Record<string, string> = {};
  for (const [name, value] of Object.entries(isObject(given) ? given : {})) {
    if (refusedHeaders.test(name))
      throw new StepError({ code: 'http_refused', message: `the header '${name}' cannot be set` });
    if (typeof value !== 'string')
      throw new StepError({ code: 'inputs_invalid', message: `the header '${name}' must be text` });
    headers[name.toLowerCase()] = value;
  }
  return headers;
}

function redirectOf(method: string, { status, headers }: BoundedResponse, from: URL): string | undefined {
  if ((method !== 'GET' && method !== 'HEAD') || ![301, 302, 303, 307, 308].includes(status))
    return undefined;
  return headers.location === undefined ? undefined : new URL(headers.location, from).href;
}

function outputOf(response: BoundedResponse): JsonObject {
  const { status, headers, body } = response;
  const parsed = bodyOf(response);
  return { status, ok: status < 400, headers, body, ...(parsed !== body && { json: parsed }) };
}
