import type { Capability, Environment } from '../kinds/services.js';
import { expandVariables } from '../values/expand-variables.js';
import { jsonText, textOf } from '../values/text.js';
import type { JsonObject, JsonValue } from '../values/value.js';
import { type BoundedResponse, requestBounded } from './bounded-request.js';
import type { HttpBacking } from './capability-settings.js';

const maxBytes = 1_048_576;

/** A capability that is one HTTP request to a configured address. Statuses of 400 and above fail the node. */
export function httpCapability(
  described: Omit<Capability, 'execute'>,
  backing: HttpBacking,
  environment: Environment,
): Capability {
  const { method = 'POST', timeout_seconds = 30 } = backing;
  const sendsBody = method === 'POST' || method === 'PUT' || method === 'PATCH';
  return {
    ...described,
    async execute(inputs, context) {
      const expand = (text: string, field: string) =>
        expandVariables(text, environment.variables, `capabilities.${described.key}.http.${field}`);
      const url = new URL(expand(backing.url, 'url'));
      if (!sendsBody)
        for (const [name, value] of Object.entries(inputs)) url.searchParams.append(name, textOf(value));
      const headers: Record<string, string> = {
        accept: 'application/json',
        'idempotency-key': context.activationId,
      };
      for (const [name, value] of Object.entries(backing.headers ?? {}))
        headers[name.toLowerCase()] = expand(value, `headers.${name}`);
      if (sendsBody) headers['content-type'] ??= 'application/json';
      const response = await requestBounded({
        method,
        url,
        headers,
        ...(sendsBody && { body: jsonText(inputs) }),
        signal: context.signal,
        timeoutMs: timeout_seconds * 1000,
        maxBytes,
        // The address is the administrator's choice.
        mayConnect: () => true,
      });
      if (response.status >= 400)
        return { status: 'failed', error: `status ${response.status}: ${response.body.slice(0, 300)}` };
      return { status: 'succeeded', output: bodyOf(response), effects: described.effects };
    },
  };
}

/** The parsed body when it says that it is JSON, else its text. */
export function bodyOf({ headers, body }: BoundedResponse): JsonValue {
  if (!/\bjson\b/i.test(headers['content-type'] ?? '')) return body;
  try {
    return JSON.parse(body) as JsonObject;
  } catch {
    return body;
  }
}
