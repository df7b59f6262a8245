import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach } from 'vitest';
import type { RunEvent } from '../../src/engine/events.js';
import type { RunResult } from '../../src/engine/start-run.js';
import { type StartRunOptions, startRun } from '../../src/engine/start-run.js';
import type { Services } from '../../src/kinds/services.js';
import type { ModelServiceOptions } from '../../src/models/model-options.js';
import { createModelService } from '../../src/models/model-service.js';
import { RateLimits } from '../../src/models/rate-limits.js';
import type { AgentPlan } from '../../src/plan/agent.js';
import type { Plan } from '../../src/plan/plan.js';
import { noSettings, type PlanSettings } from '../../src/plan/settings.js';
import { createToolService, type ToolServiceOptions } from '../../src/tools/tool-service.js';
import { SecretRegistry } from '../../src/values/secrets.js';
import type { Value } from '../../src/values/value.js';
import type { ModelServer } from '../models/model-server.js';
import { compute, plan, type Step, testKinds } from '../support/plans.js';

/** A template that shows the input between two texts. */
export function template(before: string, after = '') {
  return compute((scope) => `${before}${String(scope.value)}${after}`);
}

export function text(content: string) {
  return compute(() => content);
}

const directories: string[] = [];
afterEach(async () => {
  for (const directory of directories.splice(0)) await rm(directory, { recursive: true, force: true });
});

export async function temporaryDirectory(): Promise<string> {
  const directory = await mkdtemp(join(tmpdir(), 'lait-kinds-'));
  directories.push(directory);
  return directory;
}

export interface RunOptions {
  server?: ModelServer;
  models?: Partial<ModelServiceOptions>;
  tools?: Partial<ToolServiceOptions>;
  agents?: Record<string, AgentPlan>;
  settings?: Partial<PlanSettings>;
  services?: Partial<Services>;
  workingDirectory?: string;
  input?: Value;
  plan?: Partial<Plan>;
  signal?: AbortSignal;
  run?: StartRunOptions['run'];
}

export interface Ran {
  result: RunResult;
  value: Value;
  error: Error & { code?: string; details?: Record<string, unknown> };
  events: RunEvent[];
}

/** Runs steps on the real engine with a real model client and real tools. Raw model ids go to `server`. */
export async function run(steps: readonly Step[], options: RunOptions = {}): Promise<Ran> {
  const { server, agents = {}, workingDirectory = process.cwd() } = options;
  const environment = { variables: { PATH: process.env.PATH }, workingDirectory };
  const models = createModelService({
    base_url: server?.baseUrl,
    defaults: { model: 'default-model' },
    variables: environment.variables,
    secrets: new SecretRegistry(),
    rateLimits: new RateLimits({ now: () => Date.now(), sleep: async () => {} }),
    ...options.models,
  });
  const tools = createToolService({
    environment,
    subagents: {
      names: () => Object.keys(agents),
      describe: async (name) => ({
        description: agents[name]?.description,
        inputSchema: agents[name]?.inputSchema?.body,
      }),
    },
    ...options.tools,
  });
  const services = {
    models,
    tools,
    environment,
    agents: {
      registered: async (name: string) => (Object.hasOwn(agents, name) ? agents[name] : undefined),
      registeredNames: () => Object.keys(agents),
    },
    ...options.services,
  } as Services;
  const events: RunEvent[] = [];
  const made = plan(steps, { settings: { ...noSettings, ...options.settings }, ...options.plan });
  const result = await startRun(
    made,
    { value: 'input' in options ? options.input : 'the input' },
    {
      services,
      kinds: testKinds,
      onEvent: (event) => events.push(event),
      signal: options.signal,
      run: options.run,
    },
  ).settled();
  await tools.close();
  return {
    result,
    events,
    value: result.status === 'completed' ? result.value : undefined,
    error: (result.status === 'failed' || result.status === 'cancelled'
      ? result.error
      : undefined) as Ran['error'],
  };
}

/** The messages of the n-th request that a server saw. */
export function messagesOf(server: ModelServer, index: number): Record<string, unknown>[] {
  return server.requests[index]!.body.messages as never;
}
