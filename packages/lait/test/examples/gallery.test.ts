import { spawn } from 'node:child_process';
import { chmodSync, cpSync, existsSync, mkdtempSync, readdirSync, readFileSync, realpathSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect, it } from 'vitest';
import { directoryWith, lait } from '../cli/run-lait.js';

const examples = fileURLToPath(new URL('../../../../examples', import.meta.url));
const launcher = fileURLToPath(new URL('../../bin/lait.js', import.meta.url));
const bin = directoryWith({ lait: `#!/bin/sh\nexec ${process.execPath} ${launcher} "$@"\n` });
chmodSync(join(bin, 'lait'), 0o755);

const all = readdirSync(examples, { withFileTypes: true })
  .filter((entry) => entry.isDirectory())
  .map(({ name }) => name);
const pageOf = (name: string) => readFileSync(join(examples, name, 'README.md'), 'utf8');
/** Those whose page shows commands with results and a picture. */
const shown = all.filter((name) => pageOf(name).includes('```mermaid\n'));

function execute(command: string, directory: string): Promise<string> {
  return new Promise((resolve) => {
    const child = spawn('sh', ['-c', `{ ${command}\n} 2>&1`], {
      cwd: directory,
      env: { PATH: `${bin}:${process.env.PATH}`, HOME: bin, LAIT_TRUST: '1' },
      stdio: ['ignore', 'pipe', 'inherit'],
    });
    let output = '';
    child.stdout.setEncoding('utf8').on('data', (text: string) => {
      output += text;
    });
    child.on('close', () => resolve(output.replace(/(?<=[^\n])$/, '\n')));
  });
}

function copyOf(name: string): string {
  const directory = join(realpathSync(mkdtempSync(join(tmpdir(), 'lait-example-'))), name);
  cpSync(join(examples, name), directory, { recursive: true });
  return directory;
}

it.concurrent.each(shown)('[examples.replay] examples/%s does what its page shows', async (name) => {
  const page = pageOf(name);
  const console = /^```console\n([\s\S]*?)^```$/m.exec(page)![1]!;
  const commands = console.split(/^\$ /m).slice(1);
  expect(commands.length).toBeGreaterThan(0);
  const directory = copyOf(name);
  for (const text of commands) {
    const end = text.indexOf('\n');
    const command = text.slice(0, end);
    expect([command, await execute(command, directory)]).toEqual([command, text.slice(end + 1)]);
  }
  const [, file] = /lait run (\S+)/.exec(console)!;
  const picture = /^```mermaid\n([\s\S]*?)^```$/m.exec(page)![1];
  expect(picture).toBe(await execute(`lait graph ${file}`, directory));
});

it('[examples.replay] there are at least twelve, in all three forms', () => {
  expect(shown.length).toBeGreaterThanOrEqual(12);
  const index = readFileSync(join(examples, 'README.md'), 'utf8');
  for (const name of all) {
    expect(index).toMatch(new RegExp(`^\\| \\[${name}\\]\\(${name}/README\\.md\\) \\|`, 'm'));
  }
  for (const form of ['steps', 'dynamic', 'graph']) expect(index).toContain(`| ${form} |`);
});

it('[examples.lint] nothing can be said against them', async () => {
  const found = all.map(async (name) => {
    const directory = join(examples, name);
    const json = readdirSync(directory).filter(
      (file) =>
        file.endsWith('.json') && /"(graph|nodes)":/.test(readFileSync(join(directory, file), 'utf8')),
    );
    const { code, stdout, stderr } = await lait(directory, ['lint', '.', ...json]);
    const problems = `${stdout}${stderr}`.split('\n').filter((line) => line !== '' && !line.endsWith(': OK'));
    return { name, code, problems };
  });
  expect(await Promise.all(found)).toEqual(all.map((name) => ({ name, code: 0, problems: [] })));
});

it('[init.examples] are copied with the schemas that they name, and run as they are', async () => {
  const directory = directoryWith({});
  const { code, stdout } = await lait(directory, ['init', '--example', 'triage', '-o', 'mine']);
  expect([code, stdout]).toEqual([0, 'copied the example to mine; README.md in it says how to run it\n']);
  const copy = join(directory, 'mine');
  const [line] = readFileSync(join(copy, 'workflow.yml'), 'utf8').split('\n');
  expect(line).toBe('# yaml-language-server: $schema=./workflow.schema.json');
  expect(existsSync(join(copy, 'workflow.schema.json'))).toBe(true);
  const run = await lait(copy, ['run', 'workflow.yml', '-q', '--replay', 'replies'], {
    stdin: 'Hello, when I click on the CSV export button nothing happens. I tried twice.',
  });
  expect(JSON.parse(run.stdout)).toMatchObject({ category: 'bug' });

  const again = await lait(directory, ['init', '--example', 'triage', '-o', 'mine']);
  expect([again.code, again.stderr]).toEqual([
    1,
    'lait: mine holds files of the example already, and nothing is overwritten\n',
  ]);
  const unknown = await lait(directory, ['init', '--example', 'traige']);
  expect([unknown.code, unknown.stderr]).toEqual([
    2,
    "lait: there is no example 'traige'; did you mean 'triage'?\n",
  ]);
});

it('[init.schema-line] what lait init writes names a schema that lies beside it', async () => {
  const directory = directoryWith({});
  for (const [kind, file] of [
    [[], 'lait.config.yml'],
    [['workflow', 'flows/sum.yml'], 'flows/sum.yml'],
    [['test'], 'workflow.test.yml'],
  ] as const) {
    const { code, stdout } = await lait(directory, ['init', ...kind]);
    const [, schema] = /^# yaml-language-server: \$schema=\.\/(\S+)\n/.exec(
      readFileSync(join(directory, file), 'utf8'),
    )!;
    const beside = join(file, '..', schema!);
    expect([code, stdout]).toEqual([0, `wrote ${file}\nwrote ${beside}\n`]);
    expect(JSON.parse(readFileSync(join(directory, beside), 'utf8'))).toHaveProperty('properties');
  }
});
