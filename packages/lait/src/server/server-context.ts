import type { Logger } from 'pino';
import type { LaitServices } from '../config/build-services.js';
import type { Configuration } from '../config/configuration.js';
import type { Database } from '../runs/stores/database/database.js';
import type { SecretRegistry } from '../values/secrets.js';
import type { Audit } from './access/audit.js';
import type { TokenService } from './access/token-service.js';
import type { DefinitionService } from './definitions/definition-service.js';
import type { RunChanges } from './events/run-changes.js';
import type { RunTokens } from './events/run-tokens.js';
import type { Metrics } from './operations/metrics.js';
import type { ModelUsage } from './operations/model-usage.js';
import type { RunService } from './runs/run-service.js';
import type { WorkflowCatalog } from './runs/workflow-catalog.js';
import type { ServerSettings } from './server-settings.js';
import type { WorkerPool } from './workers/worker-pool.js';

/**
 * What the routes of all interfaces work with. Made by `createServerContext`; tests make it with a database of theirs.
 */
export interface ServerContext {
  version: string;
  settings: ServerSettings;
  configuration: Configuration;
  database: Database;
  services: LaitServices;
  runs: RunService;
  definitions: DefinitionService;
  /** What can be run, stored or configured. */
  catalog: WorkflowCatalog;
  workers: WorkerPool;
  /** What models write in the runs that this process works on, while they write it. */
  runTokens: RunTokens;
  /** Runs that this process has changed. */
  runChanges: RunChanges;
  tokens: TokenService;
  audit: Audit;
  usage: ModelUsage;
  metrics: Metrics;
  logger: Logger;
  secrets: SecretRegistry;
  /** False while the server starts, stops, or cannot reach its database. */
  ready(): Promise<boolean>;
}
