import { mkdtempSync, readdirSync, readFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { directoryWith, lait } from './run-lait.js';

/** Packages that only some commands and steps need. */
const heavy = [
  'eventsource-parser',
  '@modelcontextprotocol',
  'hono',
  'libsql',
  'pg',
  'kysely',
  'pino',
  'ajv',
  'croner',
  '@opentelemetry',
];

/** The packages that a command loads, from what V8 covers. */
async function loadedPackages(directory: string, args: string[]): Promise<string[]> {
  const coverage = mkdtempSync(join(tmpdir(), 'lait-coverage-'));
  const { code } = await lait(directory, args, { env: { NODE_V8_COVERAGE: coverage } });
  expect([args, code]).toEqual([args, 0]);
  const urls = readdirSync(coverage).flatMap((file) => {
    const { result } = JSON.parse(readFileSync(join(coverage, file), 'utf8')) as {
      result: { url: string }[];
    };
    return result.map(({ url }) => url);
  });
  expect(urls.some((url) => url.includes('/dist/'))).toBe(true);
  const packages = urls.map((url) => /.*\/node_modules\/((?:@[^/]+\/)?[^/]+)/.exec(url)?.[1]);
  return [...new Set(packages.filter((name) => name !== undefined))];
}

test('[cli.light-start] what a command does not need is not loaded', async () => {
  const directory = directoryWith({
    'small.yml':
      'inputs: { a: { type: string, default: x } }\nsteps:\n  - jq: .\n  - prompt: "{{ input }}"\n    model: m\n    output_schema: { type: object }\n  - run: [cat]\n',
    'pure.yml': 'steps:\n  - jq: .\n  - for_each: "[1,2]"\n    steps:\n      - run: [cat]\n',
  });
  for (const args of [
    ['--version'],
    ['run', '--help'],
    ['lint', 'small.yml'],
    ['run', 'pure.yml', 'x'],
    ['run', 'pure.yml', 'x', '--checkpoint'],
    ['run', 'pure.yml', 'x', '--park'],
    ['runs', 'list'],
  ]) {
    const loaded = await loadedPackages(directory, args);
    expect([args, loaded.filter((name) => heavy.some((one) => name.startsWith(one)))]).toEqual([args, []]);
  }
});
