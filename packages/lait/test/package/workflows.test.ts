import { execFileSync } from 'node:child_process';
import { chmodSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect, it } from 'vitest';
import { parse } from 'yaml';
import { directoryWith } from '../cli/run-lait.js';

const root = fileURLToPath(new URL('../../../..', import.meta.url));
const launcher = fileURLToPath(new URL('../../bin/lait.js', import.meta.url));

interface Step {
  name?: string;
  run?: string;
  uses?: string;
  'working-directory'?: string;
  with?: Record<string, string>;
  env?: Record<string, string>;
}
const read = (path: string) => parse(readFileSync(join(root, path), 'utf8'));
const action = read('action.yml') as { inputs: Record<string, { default: string }>; runs: { steps: Step[] } };

it('[package.workflows] workflows run scripts that exist, and use the action with inputs that it has', () => {
  for (const name of readdirSync(join(root, '.github', 'workflows'))) {
    const { jobs } = read(join('.github', 'workflows', name)) as { jobs: Record<string, { steps: Step[] }> };
    for (const step of Object.values(jobs).flatMap(({ steps }) => steps)) {
      const { scripts } = read(join(step['working-directory'] ?? '.', 'package.json')) as { scripts: object };
      for (const [, script] of (step.run ?? '').matchAll(/npm (?:run )?(test|(?<=run )[\w:-]+)/g)) {
        expect(Object.keys(scripts)).toContain(script);
      }
      if (step.uses !== './') continue;
      for (const input of Object.keys(step.with ?? {})) expect(Object.keys(action.inputs)).toContain(input);
    }
  }
});

it('[package.workflows] the action puts no input into a script', () => {
  for (const { run } of action.runs.steps) expect(run ?? '').not.toContain('${{');
});

/** Runs a step of the action as the runner would: inputs that the test gives, others with their defaults. */
function runStep(name: string, given: Record<string, string>, directory: string) {
  const step = action.runs.steps.find((one) => one.name === name)!;
  const bin = directoryWith({ lait: `#!/bin/sh\nexec ${process.execPath} ${launcher} "$@"\n` });
  chmodSync(join(bin, 'lait'), 0o755);
  const env = Object.fromEntries(
    Object.entries(step.env ?? {}).map(([key, text]) => [
      key,
      text.replace(
        /\$\{\{ inputs\.([\w-]+) \}\}/g,
        (_, input) => given[input] ?? action.inputs[input]!.default,
      ),
    ]),
  );
  try {
    const files = { RUNNER_TEMP: bin, GITHUB_OUTPUT: join(bin, 'output') };
    const stdout = execFileSync('bash', ['-c', step.run!], {
      cwd: directory,
      encoding: 'utf8',
      stdio: ['ignore', 'pipe', 'pipe'],
      env: { PATH: `${bin}:${process.env.PATH}`, HOME: bin, LAIT_TRUST: '1', ...files, ...env },
    });
    return { code: 0, stdout };
  } catch (error) {
    const { status, stdout } = error as { status: number; stdout: string };
    return { code: status, stdout };
  }
}

it('[package.workflows] the action says what is wrong at its line, and runs tests', () => {
  const directory = directoryWith({
    'good/flow.yml': 'steps:\n  - jq: ascii_upcase\n',
    'good/flow.test.yml':
      'workflow: flow.yml\ninput: some text\nreplay: replies\nassert:\n  - { type: equals, value: SOME TEXT }\n',
    'bad/flow.yml': 'steps:\n  - jk: .\n',
  });
  expect(runStep('lait lint', { lint: 'good' }, directory).code).toBe(0);
  const bad = runStep('lait lint', { lint: 'good bad' }, directory);
  expect(bad.code).toBe(3);
  expect(bad.stdout).toMatch(/^::error file=bad\/flow\.yml,line=2::/m);
  expect(runStep('lait test', { test: 'good' }, directory).code).toBe(0);
});
