import { startRun } from '../../src/engine/start-run.js';
import type { Kind } from '../../src/kinds/kind.js';
import type { Services } from '../../src/kinds/services.js';
import type { Plan } from '../../src/plan/plan.js';
import { noSettings } from '../../src/plan/settings.js';
import type { Value } from '../../src/values/value.js';

/** Runs one step of a kind through the engine, on the given input. */
export async function runStep<Fields>(
  kind: Kind<Fields>,
  fields: Fields,
  options: {
    input?: Value;
    workingDirectory: string;
    variables?: Record<string, string | undefined>;
    signal?: AbortSignal;
    timeoutSeconds?: number;
  },
): Promise<Value> {
  const {
    input = null,
    workingDirectory,
    variables = { PATH: process.env.PATH },
    signal,
    timeoutSeconds,
  } = options;
  const node = { kind: kind.name, path: 'steps[0]', label: `step-1 (${kind.name})`, fields, timeoutSeconds };
  const plan: Plan = {
    form: 'steps',
    id: 'test.yml',
    sources: [],
    accept: ({ value }) => ({ value, inputs: null, state: {}, context: {} }),
    body: { path: 'steps', nodes: [node] },
    settings: noSettings,
  };
  const result = await startRun(
    plan,
    { value: input },
    {
      services: { environment: { variables, workingDirectory } } as Services,
      kinds: new Map([[kind.name, kind as Kind]]),
      signal,
    },
  ).settled();
  if (result.status === 'parked') throw new Error('parked');
  if (result.status !== 'completed') throw result.error;
  return result.value;
}
