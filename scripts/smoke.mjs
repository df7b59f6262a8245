// Installs the packed packages into an empty folder and uses them as a stranger would: runs the demo from its recorded
// replies, imports the library as a module, from CommonJS and from TypeScript, follows the tutorial, and uninstalls.
//   node scripts/smoke.mjs [--packed DIRECTORY] [--node PROGRAM] [--locked]
// `--locked` installs the versions of the repository's lock file, which `npm ci` has left in the cache; without it the
// newest versions that fit are looked up, as they are for a stranger.
// Reports sizes, the time of the installation and what was installed. Ends with 1 when something does not hold.
import { execFileSync } from 'node:child_process';
import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { followTutorial } from '../test/newcomer/newcomer.mjs';
import { lockFile } from './lock-file.mjs';

const root = join(dirname(fileURLToPath(import.meta.url)), '..');
const { values } = parseArgs({
  options: { packed: { type: 'string' }, node: { type: 'string' }, locked: { type: 'boolean' } },
});
const scratch = mkdtempSync(join(tmpdir(), 'lait-smoke-'));
const node = values.node ?? process.execPath;
/** The program to be tested comes first, so that launchers find it, too. */
const env = { ...process.env, PATH: `${dirname(node)}:${process.env.PATH}`, HOME: scratch };

/** Standard output of a program that must end well. */
function output(program, args, cwd) {
  return execFileSync(program, args, { cwd, env, encoding: 'utf8', stdio: ['ignore', 'pipe', 'pipe'] });
}

function expect(holds, message) {
  if (!holds) throw new Error(message);
}

/** Every file below a directory. */
const filesBelow = (directory) =>
  readdirSync(directory, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath, entry.name));

const megabytes = (bytes) => `${(bytes / 1e6).toFixed(1)} MB`;

/** Import specifiers of files beside a module that a package does not hold. */
function danglingImports(directory) {
  return filesBelow(directory)
    .filter((file) => /\.(js|cjs|d\.ts)$/.test(file) && !/[\\/](docs|examples|bin)[\\/]/.test(file))
    .flatMap((file) =>
      [
        ...readFileSync(file, 'utf8').matchAll(
          /(?:\bfrom|\bimport|\brequire)\s*\(?\s*['"](\.{1,2}\/[^'"]+)['"]/g,
        ),
      ]
        .map(([, specifier]) => resolve(dirname(file), specifier))
        .map((target) => (file.endsWith('.d.ts') ? target.replace(/\.js$/, '.d.ts') : target))
        .filter((target) => !existsSync(target)),
    );
}

try {
  const packed = values.packed ?? join(scratch, 'packed');
  if (values.packed === undefined)
    output(process.execPath, [join(root, 'scripts', 'pack.mjs'), packed], root);
  const tarballs = readdirSync(packed)
    .filter((name) => name.endsWith('.tgz'))
    .map((name) => join(packed, name));
  expect(tarballs.length === 2, `two tarballs are needed in ${packed}`);
  for (const tarball of tarballs)
    console.log(`${tarball.split(/[\\/]/).at(-1)}: ${megabytes(statSync(tarball).size)}`);

  const project = join(scratch, 'project');
  mkdirSync(project);
  writeFileSync(join(project, 'package.json'), '{ "name": "stranger", "private": true }\n');
  if (values.locked === true) {
    writeFileSync(join(project, 'package-lock.json'), JSON.stringify(lockFile(root)));
  }
  const npm = ['--no-audit', '--no-fund', '--prefer-offline', '--loglevel=error', `--cache=${npmCache()}`];
  const begin = performance.now();
  output('npm', ['install', ...npm, ...tarballs], project);
  const seconds = ((performance.now() - begin) / 1000).toFixed(1);
  const modules = join(project, 'node_modules');
  const lock = JSON.parse(readFileSync(join(modules, '.package-lock.json'), 'utf8'));
  const installed = Object.keys(lock.packages).filter((name) => name !== '');
  const direct = Object.keys(
    JSON.parse(readFileSync(join(modules, 'lait', 'package.json'), 'utf8')).dependencies,
  );
  const size = filesBelow(modules).reduce((sum, file) => sum + statSync(file).size, 0);
  console.log(
    `installed in ${seconds} s: ${direct.length} direct dependencies, ${installed.length} packages, ${megabytes(size)}`,
  );

  for (const name of ['lait', '@lait/jq']) {
    const directory = join(modules, name);
    const files = filesBelow(directory).map((file) => file.slice(directory.length + 1));
    const clutter = files.filter((file) =>
      /(^|\/)(test|src|node_modules)\/|\.test\.|\.tsbuildinfo|(?<!\.d)\.ts$/.test(file),
    );
    expect(
      clutter.filter((file) => !/^(examples|docs)\//.test(file)).length === 0,
      `${name} holds ${clutter.join(', ')}`,
    );
    for (const wanted of ['README.md', 'LICENSE']) expect(files.includes(wanted), `${name} lacks ${wanted}`);
    expect(
      danglingImports(directory).length === 0,
      `${name} imports ${danglingImports(directory).join(', ')}`,
    );
  }

  const lait = join(modules, '.bin', 'lait');
  const { version } = JSON.parse(readFileSync(join(modules, 'lait', 'package.json'), 'utf8'));
  expect(output(lait, ['--version'], project).includes(version), 'lait --version');
  const triage = join(modules, 'lait', 'examples', 'triage');
  const message = 'Hello, when I click on the CSV export button nothing happens. I tried twice.';
  const replies = join(triage, 'replies');
  const result = output(
    lait,
    [
      'run',
      join(triage, 'workflow.yml'),
      message,
      '--replay',
      replies,
      '--no-stdin',
      '--no-config',
      '--quiet',
    ],
    project,
  );
  expect(JSON.parse(result).category === 'bug', `the demo gave ${result}`);
  expect(existsSync(join(project, 'reply.md')), 'the demo wrote no reply');
  const svg = output(lait, ['graph', join(triage, 'workflow.yml'), '--format', 'svg'], project);
  expect(svg.includes('<svg'), 'lait graph --format svg');
  writeFileSync(join(project, 'data.json'), '{"a": 1}');
  expect(
    output(join(modules, '.bin', 'lait-jq'), ['.a + 1', 'data.json'], project).trim() === '2',
    'lait-jq',
  );

  const use = `const lait = await createLait({ config: false });
const workflow = await lait.load({ steps: [{ jq: '.a + 1' }] });
const result = await workflow.run({ input: { a: 1 } });
await lait.close();
console.log(result.value);`;
  const scripts = {
    'module.mjs': `import { createLait } from 'lait';\n${use}\n`,
    'common.cjs': `async function main() {\nconst { createLait } = await import('lait');\n${use}\n}\nmain();\n`,
    'jq.mjs': `import { compile } from '@lait/jq';\nconsole.log([...compile('.a + 1').run({ a: 1 })][0]);\n`,
  };
  // Node 20.19 and newer can require modules.
  if (process.features.require_module !== undefined || values.node !== undefined) {
    scripts['require.cjs'] =
      `const { createLait } = require('lait');\nasync function main() {\n${use}\n}\nmain();\n`;
  }
  for (const [name, text] of Object.entries(scripts)) {
    writeFileSync(join(project, name), text);
    expect(output(node, [name], project).trim() === '2', name);
  }

  const typed = `import { createLait, defineTool, type JsonObject, type Workflow } from 'lait';
import schema from 'lait/schemas/workflow.json' with { type: 'json' };

const add = defineTool({
  description: 'adds',
  inputSchema: { type: 'object', properties: { a: { type: 'number' } }, required: ['a'] } as const,
  execute: ({ a }) => a + 1,
});
const lait = await createLait({ config: false, tools: { add } });
const workflow: Workflow = await lait.load({ steps: [{ jq: '.' }] });
const result = await workflow.run({ input: { title: schema.title } satisfies JsonObject });
// @ts-expect-error: a parked run has no value
result.value;
if (result.status === 'completed') console.log(result.value, result.usage);
await lait.close();
`;
  writeFileSync(join(project, 'typed.mts'), typed);
  const options = [
    '--noEmit',
    '--strict',
    '--module',
    'nodenext',
    '--target',
    'es2022',
    '--resolveJsonModule',
  ];
  output(
    process.execPath,
    [join(root, 'node_modules', 'typescript', 'bin', 'tsc'), ...options, 'typed.mts'],
    project,
  );

  const commands = await followTutorial(project, node);
  console.log(`newcomer: ${commands} commands of docs/tutorial.md do what the page says`);

  output('npm', ['uninstall', ...npm, 'lait', '@lait/jq'], project);
  const left = existsSync(modules)
    ? filesBelow(modules).filter((file) => !file.endsWith('.package-lock.json'))
    : [];
  expect(left.length === 0, `npm uninstall left ${left.join(', ')}`);
  console.log(`smoke: all holds with Node ${output(node, ['--version'], scratch).trim()}`);
} catch (error) {
  console.error(`smoke: ${error.message}\n${error.stdout ?? ''}${error.stderr ?? ''}`);
  process.exitCode = 1;
} finally {
  rmSync(scratch, { recursive: true, force: true });
}

/** The cache of whoever runs this, so that packages which are there are not fetched again. */
function npmCache() {
  return execFileSync('npm', ['config', 'get', 'cache'], { encoding: 'utf8' }).trim();
}
