import type { Logger } from 'pino';
import type { LaitServices } from '../config/build-services.js';
import type { Configuration } from '../config/configuration.js';
import { kinds } from '../kinds/index.js';
import { pricingOf } from '../observe/usage-report.js';
import { RunController } from '../runs/run-controller.js';
import type { RunStore } from '../runs/run-store.js';
import type { Database } from '../runs/stores/database/database.js';
import type { SecretCodec } from '../runs/stores/value-codec.js';
import type { SecretRegistry } from '../values/secrets.js';
import { Audit } from './access/audit.js';
import { TokenService } from './access/token-service.js';
import { engineEntriesOf } from './compatible/dynamic/engine-log.js';
import { DefinitionService } from './definitions/definition-service.js';
import { RunChanges } from './events/run-changes.js';
import { RunFeeds } from './events/run-feeds.js';
import { RunTokens } from './events/run-tokens.js';
import { Metrics } from './operations/metrics.js';
import { ModelUsage } from './operations/model-usage.js';
import { RunTraces } from './operations/run-traces.js';
import { ObservedRunStore } from './runs/observed-run-store.js';
import { RunService } from './runs/run-service.js';
import { WorkflowCatalog } from './runs/workflow-catalog.js';
import type { ServerContext } from './server-context.js';
import type { ServerSettings } from './server-settings.js';
import { WorkerPool } from './workers/worker-pool.js';

export interface ServerContextOptions {
  database: Database;
  /** The runs of the database. */
  store: RunStore;
  services: LaitServices;
  configuration: Configuration;
  settings: ServerSettings;
  workingDirectory: string;
  secrets: SecretRegistry;
  logger: Logger;
  version: string;
  /** Keeps secrets out of what is shown; the store's own. Default: values are shown as they are. */
  secretCodec?: Pick<SecretCodec, 'show'>;
  /** Names this process in records and claims. Default: a random id. */
  instanceId?: string;
}

/** Puts a server's parts together. Nothing runs yet: `context.workers.start()` begins to work on runs. */
export function createServerContext(options: ServerContextOptions): ServerContext {
  const { database, configuration, settings, secrets, logger, services, workingDirectory, version } = options;
  const { values } = configuration;
  const onError = (error: unknown, about: object = {}) =>
    logger.error({ ...about, err: { message: secrets.mask(String(error)) } }, 'failed in the background');

  const store: RunStore = new ObservedRunStore(options.store, {
    changed(runId, record) {
      feeds.notify(runId);
      if (record?.status === 'queued') workers.wake();
      if (record !== undefined) runChanges.emit(record);
    },
  });
  const runChanges = new RunChanges();
  const feeds = new RunFeeds(store, Math.min(settings.pollMs, 500));
  const definitions = new DefinitionService({
    database,
    world: {
      services: () => services.forRun(),
      graphLimits: { maxNodes: values.graph?.max_nodes, maxEdges: values.graph?.max_edges },
      allowed: settings.allow,
    },
    configured: () => Object.keys(values.workflows ?? {}),
  });
  const catalog = new WorkflowCatalog({
    configuration,
    definitions,
    services,
    workingDirectory,
    allowed: settings.allow,
  });
  const pricing = pricingOf(values.models);
  const usage = new ModelUsage(database, pricing, onError);
  const metrics = new Metrics();
  const runTokens = new RunTokens(secrets);
  const traces = new RunTraces({ otlp: settings.otlp, secrets, pricing, version, onError });
  const controller = new RunController({
    store,
    kinds,
    services: (definition) => catalog.servicesFor(definition),
    load: (record) => catalog.load(record),
    secrets,
    timeZone: values.graph?.time_zone,
    pollMs: settings.pollMs,
    ...(options.instanceId !== undefined && { instanceId: options.instanceId }),
    furtherEntries: (record) => (event) => {
      metrics.engine(event);
      usage.add(record, event);
      traces.add(record.run_id, event);
      return engineEntriesOf(record.definition.form, event);
    },
    onEvent: (runId, event, places) => runTokens.handle(runId, event, places),
  });
  const workers = new WorkerPool({
    store,
    controller,
    concurrency: settings.concurrency,
    limits: settings.limits,
    leaseMs: settings.leaseMs,
    pollMs: settings.pollMs,
    resume: settings.resume,
    onError,
    onWorked: (record) => {
      metrics.worked(record);
      const { run_id, status } = record;
      logger.info({ run_id, workflow: record.definition.id, status }, 'run let go of');
    },
  });
  metrics.gauge('lait_runs_active', 'Runs that this process works on', () => workers.active.length);
  metrics.gauge('lait_runs_queued', 'Runs that wait for a worker', () =>
    store.count({ statuses: ['queued'] }),
  );
  metrics.gauge('lait_runs_waiting', 'Runs that wait for a person', () =>
    store.count({ statuses: ['waiting_approval', 'waiting_hitl', 'waiting_attention'] }),
  );
  const audit = new Audit(database);
  return {
    version,
    settings,
    configuration,
    database,
    services,
    definitions,
    catalog,
    workers,
    runTokens,
    runChanges,
    tokens: new TokenService(database),
    audit,
    usage,
    metrics,
    logger,
    secrets,
    runs: new RunService({
      store,
      controller,
      catalog,
      feeds,
      audit,
      onError,
      show: (value) => options.secretCodec?.show(value) ?? value,
    }),
    ready: async () => {
      try {
        await store.count({ statuses: ['queued'] });
        return true;
      } catch {
        return false;
      }
    },
  };
}
