import { type AddressInfo, createServer } from 'node:net';
import type { ModelCallOptions, ModelRequest } from '../../src/kinds/services.js';
import type { ModelServiceOptions } from '../../src/models/model-options.js';
import { createModelService } from '../../src/models/model-service.js';
import { RateLimits } from '../../src/models/rate-limits.js';
import type { ModelEntry, ModelSettings } from '../../src/plan/settings.js';
import { SecretRegistry } from '../../src/values/secrets.js';
import type { ModelServer } from './model-server.js';

/** Waiting costs no time: what is waited for is written down. */
export function instantClock(waits: number[] = []) {
  let now = 1_000_000;
  return {
    waits,
    limits: new RateLimits({
      now: () => now,
      sleep: async (milliseconds) => {
        waits.push(milliseconds);
        now += milliseconds;
      },
    }),
  };
}

/** A model service without waiting; nothing is set but what `options` says. */
export function service(options: Partial<ModelServiceOptions> = {}) {
  return createModelService({
    variables: {},
    secrets: new SecretRegistry(),
    rateLimits: instantClock().limits,
    ...options,
  });
}

/** The alias `main` over servers, in the order in which they are asked. */
export function aliasOf(...servers: (ModelServer | string)[]): Record<string, ModelEntry[]> {
  return {
    main: servers.map((server, index) => ({
      model_id: `model-${index + 1}`,
      provider: { base_url: typeof server === 'string' ? server : server.baseUrl },
    })),
  };
}

/** One request to the alias `main`. */
export async function ask(
  options: Partial<ModelServiceOptions>,
  request: Partial<ModelRequest> & { settings?: ModelSettings } = {},
  call: Partial<ModelCallOptions> = {},
) {
  const { settings, ...rest } = request;
  const models = service(options);
  return models.request(
    {
      model: models.resolve({ model: 'main', ...settings }),
      messages: [{ role: 'user', content: 'hi' }],
      ...rest,
    },
    { signal: new AbortController().signal, ...call },
  );
}

/** A port on which nothing listens. */
async function deadPort(): Promise<string> {
  const server = createServer();
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  await new Promise((resolve) => server.close(resolve));
  return `http://127.0.0.1:${port}/v1`;
}

/** The address of a server that is not there. */
export const deadUrl = await deadPort();
