// A server in a process of its own that can be killed: at a named point of its work, or from outside.
import { appendFileSync } from 'node:fs';
import { pino } from 'pino';
import { buildServices } from '../../../dist/config/build-services.js';
import { onFaultPoint } from '../../../dist/engine/fault-point.js';
import { openDatabase } from '../../../dist/runs/stores/database/open-database.js';
import { SqlRunStore } from '../../../dist/runs/stores/sql/sql-run-store.js';
import { createServerContext } from '../../../dist/server/create-server-context.js';
import { defaultServerSettings } from '../../../dist/server/server-settings.js';
import { startServer } from '../../../dist/server/start-server.js';
import { v1 } from '../../../dist/server/v1.js';
import { SecretRegistry } from '../../../dist/values/secrets.js';

const { database: url, directory, workflows, settings, fault, log } = JSON.parse(process.argv[2]);
if (fault !== undefined) {
  let left = fault.count;
  onFaultPoint((name) => {
    if (name !== fault.name) return;
    left -= 1;
    if (left === 0) process.kill(process.pid, 'SIGKILL');
  });
}
const database = await openDatabase(url);
const configuration = { values: { workflows }, files: [] };
const secrets = new SecretRegistry();
const services = buildServices({
  configuration,
  environment: { variables: { PATH: process.env.PATH }, workingDirectory: directory },
  secrets,
});
const context = createServerContext({
  database,
  store: new SqlRunStore(database),
  services,
  configuration,
  settings: { ...defaultServerSettings, pollMs: 100, leaseMs: 1500, stopGraceMs: 300, ...settings },
  workingDirectory: directory,
  secrets,
  logger:
    log === undefined ? pino({ enabled: false }) : pino({}, { write: (line) => appendFileSync(log, line) }),
  version: '0.0.0-test',
});
const server = await startServer({ context, groups: [v1], port: 0 });
process.on('SIGTERM', async () => {
  await server.stop();
  await services.close();
  await database.close();
  process.exit(0);
});
process.stdout.write(`${server.url}\n`);
