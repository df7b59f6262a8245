// What stands together in a chunk of the bundle. Programs that are started often should read and compile only what they
// run: a first bundle, in which each module stands alone, tells what they load. In the second, each module stands in
// the chunk of the first of them that loads it; everything else stands together by the place of its source.
import { spawn } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import { tmpdir } from 'node:os';
import { basename, join } from 'node:path';
import { text } from 'node:stream/consumers';
import { pathToFileURL } from 'node:url';

/** Libraries whose modules can be taken apart; the others are CommonJS. */
const divisible = new Set(['lait', '@lait/jq', 'yaml']);
/** Commands and servers load their parts on demand: the bundler sees by itself what belongs together. */
const onDemand = /^lait\/(cli|server)\//;

/** A program that takes longer hangs. */
const longestMs = 60_000;

/** Each module alone. */
export const alone = grouping(({ path }) => path);

/** The modules together that one program loads beside those of the programs before; `used` has its name by module. */
export const byUse = (used) =>
  grouping(({ id, path }) => {
    if (used.has(id)) return used.get(id);
    return onDemand.test(path) ? undefined : path.slice(0, path.lastIndexOf('/'));
  });

/** Groups of `codeSplitting`: `nameOf` is given a module's id and its path behind the name of its library. */
function grouping(nameOf) {
  const name = (id) => {
    const [, ours, path] =
      /\/packages\/(lait|jq)\/dist\/(.*)\.js$/.exec(id.replaceAll('\\', '/')) ??
      /^.*\/node_modules\/((?:@[^/]+\/)?[^/]+)\/(.*)$/.exec(id.replaceAll('\\', '/')) ??
      [];
    if (ours === undefined) return null;
    const library = ours === 'jq' ? '@lait/jq' : ours;
    const found = divisible.has(library) ? nameOf({ id, path: `${library}/${path}` }) : library;
    return found?.replaceAll(/[^A-Za-z0-9]+/g, '-').replace(/^-/, '') ?? null;
  };
  return [{ name, includeDependenciesRecursively: false }];
}

/**
 * The first of the programs that loads a chunk of a bundle, by the name of its file. Throws when a program fails.
 * @returns {Promise<Map<string, string>>}
 */
export async function chunksLoaded(bundle) {
  const directory = mkdtempSync(join(tmpdir(), 'lait-bundle-'));
  const model = createServer((_, reply) =>
    reply
      .setHeader('content-type', 'application/json')
      .end(JSON.stringify({ choices: [{ message: { role: 'assistant', content: 'hello' } }] })),
  );
  await new Promise((listening) => model.listen(0, '127.0.0.1', listening));
  const loaded = new Map();
  try {
    const base = `http://127.0.0.1:${model.address().port}/v1`;
    for (const [name, code] of Object.entries(programs(bundle, directory, base))) {
      for (const file of await filesLoaded(code, directory)) {
        const chunk = basename(file);
        if (!loaded.has(chunk)) loaded.set(chunk, name);
      }
    }
  } finally {
    model.close();
    rmSync(directory, { recursive: true });
  }
  return loaded;
}

/** The code of the programs, by the names that chunks are called after. */
function programs(bundle, directory, base_url) {
  const command = (...parameters) =>
    `require(${JSON.stringify(join(bundle, 'main.cjs'))}).main(${JSON.stringify(parameters)});`;
  // In block style: flow style is JSON, which is read without the library for YAML.
  const head = `version: 2
default: { model: sample }
models:
  sample:
    - provider: { base_url: ${base_url} }
      model_id: sample
steps:
`;
  const file = (name, ...steps) => {
    const path = join(directory, name);
    writeFileSync(path, head + steps.map((step) => `  - ${step}\n`).join(''));
    return path;
  };
  const library = (code) =>
    `import(${JSON.stringify(pathToFileURL(join(bundle, 'node.mjs')))}).then(async ({ createLait }) => { ${code} })`;
  const one = "jq: '{n: 1}'";
  const add = "jq: '{n: (.n + 1)}'";
  const prompt = 'prompt: hello {{ input }}';
  const write = 'write: reply.txt';
  return {
    version: command('--version'),
    library: library(
      `const lait = await createLait({ config: false });
       const workflow = await lait.load({ version: 2, name: 'sample', steps: [{ jq: '{n: (.n + 1)}' }] });
       await workflow.run({ input: { n: 0 } });`,
    ),
    run: command('run', file('run.yml', one, add), 'text'),
    lint: command('lint', file('lint.yml', add, 'run: [echo, "{{ input }}"]', prompt, write)),
    prompt: command('run', file('prompt.yml', prompt, write), 'text'),
    checkpoint: command('run', file('checkpoint.yml', one, add), 'text', '--checkpoint'),
  };
}

/** The CommonJS files that a program of Node loads. */
async function filesLoaded(code, directory) {
  const report =
    "process.on('exit', () => require('fs').writeSync(3, JSON.stringify(Object.keys(require.cache))));";
  const { PATH, SystemRoot } = process.env;
  const child = spawn(process.execPath, ['-e', report + code], {
    cwd: directory,
    // Windows opens no socket without SystemRoot.
    env: { PATH, SystemRoot, HOME: directory, USERPROFILE: directory, NO_COLOR: '1' },
    stdio: ['ignore', 'pipe', 'pipe', 'pipe'],
    timeout: longestMs,
  });
  const [, error, files, exitCode] = await Promise.all([
    text(child.stdout),
    text(child.stderr),
    text(child.stdio[3]),
    new Promise((resolve) => child.on('exit', resolve)),
  ]);
  if (exitCode !== 0) throw new Error(`a sample program ended with ${exitCode}: ${error}\n${code}`);
  return JSON.parse(files);
}
