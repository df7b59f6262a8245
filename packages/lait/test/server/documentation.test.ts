import { existsSync, readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { expect, it } from 'vitest';
import { readConfiguration } from '../../src/config/read-configuration.js';
import { serverFields } from '../../src/config/server-fields.js';
import { runStatuses } from '../../src/runs/run-status.js';
import { permissions } from '../../src/server/definitions/reach.js';
import { Metrics } from '../../src/server/operations/metrics.js';
import { defaultServerSettings, serverSettings } from '../../src/server/server-settings.js';

const docs = new URL('../../../../docs/', import.meta.url);
const page = (name: string) => readFileSync(new URL(`${name}.md`, docs), 'utf8');

it('the page about the server names every setting, permission and status, and its examples can be read', () => {
  const text = page('server');
  const examples = [...text.matchAll(/^( *)```yaml\n([\s\S]*?)^ *```/gm)].map((match) =>
    match[2]!.replaceAll(new RegExp(`^${match[1]}`, 'gm'), ''),
  );
  expect(examples.length).toBeGreaterThan(1);
  for (const example of examples)
    expect(() => readConfiguration({ file: 'docs', text: example }, '/')).not.toThrow();
  for (const key of [...Object.keys(serverFields), ...permissions, ...runStatuses])
    expect([key, text.includes(`\`${key}\``)]).toEqual([key, true]);
});

it('the defaults that the settings describe are the ones that hold', () => {
  expect(serverSettings()).toEqual(defaultServerSettings);
  const { concurrency, leaseMs, stopGraceMs, retentionDays, maxBodyBytes } = defaultServerSettings;
  expect(serverFields.concurrency.description).toContain(`Default ${concurrency}`);
  expect(serverFields.lease_seconds.description).toContain(`Default ${leaseMs / 1000}`);
  expect(serverFields.stop_grace_seconds.description).toContain(`Default ${stopGraceMs / 1000}`);
  expect(serverFields.retention_days.description).toContain(`Default ${retentionDays}`);
  expect(serverFields.max_body_bytes.description).toContain(`Default ${maxBodyBytes}`);
});

it('the page about operating a server names every metric, and links lead somewhere', async () => {
  const text = page('operations');
  const own = (await new Metrics().text()).matchAll(/^# TYPE (\w+)/gm);
  for (const [, name] of own) expect([name, text.includes(`\`${name}\``)]).toEqual([name, true]);
  for (const name of ['server', 'operations'])
    for (const [, link] of page(name).matchAll(/\]\((\w[\w-]*\.md)/g))
      expect(existsSync(fileURLToPath(new URL(link!, docs))), link).toBe(true);
});
