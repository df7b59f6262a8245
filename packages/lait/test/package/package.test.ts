import { execFile } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { expect, it } from 'vitest';

const smoke = fileURLToPath(new URL('../../../../scripts/smoke.mjs', import.meta.url));

it('[package.smoke] [package.newcomer] packed, installed into an empty folder, used as the tutorial says, removed', {
  timeout: 300_000,
}, async () => {
  const { stdout } = await promisify(execFile)(process.execPath, [smoke, '--locked']);
  expect(stdout).toContain('newcomer: 16 commands of docs/tutorial.md do what the page says');
  expect(stdout).toContain('smoke: all holds');
});
