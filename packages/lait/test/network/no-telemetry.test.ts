import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { directoryWith, lait } from '../cli/run-lait.js';
import { json, says, startModelServer } from '../models/model-server.js';

const hook = join(import.meta.dirname, 'record-connections.cjs');

it('[network.no-telemetry] lait connects to the servers that are configured, and to nothing else', async () => {
  const server = await startModelServer((response, request) =>
    (request.path.endsWith('/models') ? json({ data: [{ id: 'm' }] }) : says('hi'))(response, request),
  );
  const directory = directoryWith({
    'lait.config.yml': `base_url: "${server.baseUrl}"\ndefault: { model: m }\n`,
    'w.yml': 'steps:\n  - prompt: hi\n  - run: [node, -e, "console.log(1)"]\n',
    'broken.yml': 'steps: [{ promt: hi }]\n',
  });
  const log = join(directory, 'connections.txt');
  const env = { NODE_OPTIONS: `--require ${hook}`, CONNECTIONS: log };
  const connections = async (...args: string[]) => {
    await lait(directory, args, { env });
    return existsSync(log) ? readFileSync(log, 'utf8').trim().split('\n') : [];
  };
  for (const args of [
    ['--version'],
    ['lint', 'w.yml', 'broken.yml'],
    ['graph', 'w.yml'],
    ['run', 'broken.yml', 'x'],
  ]) {
    expect([args, await connections(...args)]).toEqual([args, []]);
  }
  const { hostname, port } = new URL(server.baseUrl);
  for (const args of [['run', 'w.yml', 'x', '--checkpoint'], ['chat', 'hi', '--stream'], ['doctor']]) {
    expect(new Set(await connections(...args))).toEqual(new Set([`${hostname}:${port}`]));
  }
  expect(server.requests.length).toBeGreaterThanOrEqual(3);
}, 60_000);
