import type { Kind } from '../../src/kinds/kind.js';
import type { Services } from '../../src/kinds/services.js';
import type { Value } from '../../src/values/value.js';
import { plan, run } from '../support/plans.js';

/** Runs one step of a kind through the engine; gives its value, or throws why the run failed. */
export async function runStep<Fields>(
  kind: Kind<Fields>,
  fields: Fields,
  options: {
    input?: Value;
    workingDirectory: string;
    variables?: Record<string, string | undefined>;
    timeoutSeconds?: number;
  },
): Promise<Value> {
  const { input, workingDirectory, timeoutSeconds } = options;
  const { variables = { PATH: process.env.PATH } } = options;
  const step = { kind: kind.name, fields: fields as Record<string, unknown>, timeoutSeconds };
  const services = { environment: { variables, workingDirectory } } as Services;
  const result = await run(plan([step]), input, { services });
  if (result.status === 'parked') throw new Error('the run waits for an answer');
  if (result.status !== 'completed') throw result.error;
  return result.value;
}
