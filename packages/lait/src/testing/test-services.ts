import { resolve } from 'node:path';
import { buildServices, type LaitServices } from '../config/build-services.js';
import type { Configuration } from '../config/configuration.js';
import type { Variables } from '../config/environment.js';
import { planOfFile } from '../config/load-plan.js';
import { isWorkflowPath } from '../config/workflow-service.js';
import type { RunEvent } from '../engine/events.js';
import { DefinitionError } from '../errors/errors.js';
import type { Plan } from '../plan/plan.js';
import { didYouMean } from '../plan/suggest.js';
import type { SecretRegistry } from '../values/secrets.js';

/** Where tests run: configuration, environment, and who is told what. */
export interface TestSurroundings {
  configuration: Configuration;
  variables: Variables;
  /** Where programs run and files of steps are looked up, as in `lait run`. */
  workingDirectory: string;
  secrets: SecretRegistry;
  signal: AbortSignal;
  /** Whether model replies may come from the response cache. Default false: a cached reply evaluates nothing. */
  cache?: boolean;
  /** Says in notes why a reply did or did not come from the cache. */
  explaining?: boolean;
  onEvent?: (file: string, event: RunEvent) => void;
  /** Told what MCP servers print to standard error. */
  onServerLog?: (server: string, line: string) => void;
}

/** Services that answer model requests from recordings, record them, or reach the live model. */
export function testServices(
  surroundings: TestSurroundings,
  recordings: { recordDirectory?: string; replayDirectory?: string } = {},
): LaitServices {
  const { configuration, variables, workingDirectory, secrets } = surroundings;
  const { cache = false, explaining, onServerLog } = surroundings;
  const environment = { variables, workingDirectory };
  return buildServices({
    configuration,
    environment,
    secrets,
    cache,
    explaining,
    onServerLog,
    ...recordings,
  });
}

/** The workflow that a test names: a file, or a name of the configuration. Throws a `DefinitionError`. */
export async function workflowUnderTest(
  reference: string,
  { configuration, signal }: TestSurroundings,
): Promise<Plan> {
  const { workflows = {} } = configuration.values;
  if (isWorkflowPath(reference)) return planOfFile(resolve(reference), { signal });
  if (Object.hasOwn(workflows, reference))
    return planOfFile(workflows[reference]!, { name: reference, signal });
  const hint = didYouMean(reference, Object.keys(workflows));
  throw new DefinitionError({
    code: 'unknown_workflow',
    message: `there is no workflow '${reference}' under workflows: of lait.config.yml${hint === undefined ? '' : `; ${hint}`}`,
    diagnostics: [],
  });
}
