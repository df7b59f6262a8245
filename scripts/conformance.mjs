// Runs every conformance kit whose adapter exists and compares with the known failures in conformance-baseline.json.
// A failure that is not listed fails the run, and so does a listed failure that passes.
//   node scripts/conformance.mjs [--kits DIRECTORY] [--only KIT] [--jobs N]
import { spawnSync } from 'node:child_process';
import { existsSync, mkdtempSync, readFileSync, realpathSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { basename, dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

const root = join(dirname(fileURLToPath(import.meta.url)), '..');
const option = (flag, fallback) => {
  const at = process.argv.indexOf(flag);
  return at < 0 ? fallback : process.argv[at + 1];
};
const place = option('--kits', join(root, '..', 'shared', 'conformance'));
const only = option('--only');
const jobs = option('--jobs', '2');
if (!existsSync(place)) {
  console.error(`no conformance kits at ${place}; give their place with --kits`);
  process.exit(2);
}
/** A runner asks whether it is the program by its real path. */
const kits = realpathSync(place);
const baseline = JSON.parse(readFileSync(join(root, 'conformance-baseline.json'), 'utf8'));
const scratch = mkdtempSync(join(tmpdir(), 'lait-conformance-'));

function node(args) {
  const { status, stdout, stderr } = spawnSync(process.execPath, args, {
    encoding: 'utf8',
    maxBuffer: 1 << 28,
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  if (status === null || status > 1)
    throw new Error(`a runner ended with ${status}:\n${stderr}\n${stdout.slice(-2000)}`);
  return stdout;
}

/** The kits: what must exist for each, and how to learn the names of failed cases and the number of passed ones. */
const suites = {
  jq: {
    adapter: 'packages/jq/test/conformance/evaluator.mjs',
    run(adapter) {
      const results = join(scratch, 'jq.json');
      const files = ['jq', 'man', 'onig', 'uri', 'base64'].map((name) => join(kits, 'jq', `${name}.test`));
      node([join(kits, 'jq', 'run.mjs'), adapter, ...files, '--json', results]);
      const tests = JSON.parse(readFileSync(results, 'utf8'));
      return tests.map((test) => ({
        name: `${basename(test.file)}:${test.line}`,
        passed: test.status === 'pass',
      }));
    },
  },
  cli: {
    adapter: 'packages/lait/bin/lait.js',
    run(adapter) {
      const bin = `${process.execPath} ${adapter}`;
      const out = JSON.parse(
        node([
          join(kits, 'cli', 'run.mjs'),
          '--bin',
          bin,
          '--jobs',
          jobs,
          '--json',
          join(kits, 'cli', 'cases'),
        ]),
      );
      return out.results.map(({ name, pass, skipped }) => ({ name, passed: pass || skipped === true }));
    },
  },
  dynamic: {
    adapter: 'packages/lait/test/conformance/dynamic.adapter.mjs',
    run: (adapter) => adapterKit('dynamic', adapter),
  },
  graph: {
    adapter: 'packages/lait/test/conformance/graph.adapter.mjs',
    run: (adapter) => adapterKit('graph', adapter),
  },
};

function adapterKit(kit, adapter) {
  const cases = join(kits, kit, 'cases.json');
  const out = node([join(kits, kit, 'run.mjs'), '--adapter', adapter, '--verbose', cases]);
  const failed = new Set([...out.matchAll(/^FAIL (.+?)(?: \[\w+\])?$/gm)].map(([, name]) => name));
  const results = JSON.parse(readFileSync(cases, 'utf8')).map(({ name }) => ({
    name,
    passed: !failed.has(name),
  }));
  const counted = Number(/(\d+) failed$/m.exec(out)?.[1]);
  const seen = results.filter(({ passed }) => !passed).length;
  if (counted !== seen)
    throw new Error(`the ${kit} runner counts ${counted} failures, its lines name ${seen}`);
  return results;
}

let wrong = 0;
try {
  for (const [kit, { adapter, run }] of Object.entries(suites)) {
    if ((only !== undefined && only !== kit) || !existsSync(join(root, adapter))) continue;
    const results = run(join(root, adapter));
    const known = baseline[kit] ?? {};
    const failures = results.filter(({ passed }) => !passed).map(({ name }) => name);
    const unexpected = failures.filter((name) => !Object.hasOwn(known, name));
    const mended = Object.keys(known).filter((name) => !failures.includes(name));
    console.log(
      `${kit}: ${results.length - failures.length} passed, ${failures.length} failed (${Object.keys(known).length} known)`,
    );
    for (const name of unexpected) console.log(`  new failure: ${name}`);
    for (const name of mended) console.log(`  listed as failing but passes: ${name}`);
    wrong += unexpected.length + mended.length;
  }
} finally {
  rmSync(scratch, { recursive: true, force: true });
}
process.exit(wrong === 0 ? 0 : 1);
