// Bundles the command line and the library into packages/lait/dist/bundle: starting them then reads a few files instead of
// hundreds. Both share their chunks, which are CommonJS, because Node starts that fastest, and which load each other on
// first use. Large libraries (MCP, servers, stores) stay packages that are loaded when they are needed.
import { mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { createRequire, isBuiltin } from 'node:module';
import { dirname, join } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { build } from 'vite';
import { loadOnFirstUse } from './load-on-first-use.mjs';

const root = fileURLToPath(new URL('../packages/lait', import.meta.url));
const require = createRequire(join(root, 'package.json'));

/** Small libraries that most commands need, and those that cannot be required because they are modules only. */
const bundled = [
  '@lait/jq',
  'commander',
  'handlebars',
  'yaml',
  'string-width',
  'emoji-regex',
  'get-east-asian-width',
  'strip-ansi',
  'ansi-regex',
];

/** The module build of `yaml` can be taken apart; of the CommonJS one each file is a function that is parsed twice. */
const yamlAsModules = join(dirname(require.resolve('yaml/package.json')), 'browser/index.js');

/** In CommonJS `require` is there: without a made one the bundler sees what is loaded on demand. */
const requireOnDemand = {
  name: 'require-on-demand',
  transform: (code) => code.replaceAll('const require = createRequire(import.meta.url);', ''),
};

/**
 * One character beyond Latin-1 doubles what Node has to read, so they are all written as escapes, which mean the same
 * wherever code holds them. A backslash before such a character has no meaning of its own.
 */
const withoutWideCharacters = (code) =>
  code.replace(/(\\*)([\u0080-\uffff])/g, (_, slashes, unit) => {
    const escaped = `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`;
    return (slashes.length % 2 === 0 ? slashes : slashes.slice(1)) + escaped;
  });

const slashed = (path) => path.replaceAll('\\', '/');
/** A module of ours by its path in a package, or everything below a directory. */
const ours = (path, name = 'lait') => {
  const place = slashed(join(root, '..', name, 'dist', path));
  return (id) => slashed(id) === `${place}.js` || slashed(id).startsWith(place.replace(/\/?$/, '/'));
};
const anyOf =
  (...tests) =>
  (id) =>
    tests.some((test) => test(id));
const library = (name) => (id) => slashed(id).includes(`/node_modules/${name}/`);

/** What a first run of a few simple steps does not reach, apart from what does: modules alone, without their imports. */
const apart = [
  { name: 'jq-builtins', test: ours('builtins', 'jq') },
  { name: 'templates', test: anyOf(ours('expressions/template'), ours('expressions/text-template')) },
  {
    name: 'lint',
    test: anyOf(ours('config/lint-workflow'), ours('dialects/steps/lint-workflow'), ours('plan/analysis')),
  },
  {
    name: 'conversations',
    test: anyOf(
      ours('kinds/conversation'),
      ours('kinds/model-call'),
      ours('kinds/tool-rounds'),
      ours('kinds/compaction'),
      ours('kinds/subagent'),
      ours('kinds/tool-result-reader'),
      ours('models/prompted-schema'),
      ours('models/structured-output'),
    ),
  },
  {
    name: 'processes',
    test: anyOf(
      ours('tools/process'),
      ours('tools/process-table'),
      ours('tools/process-tree'),
      ours('tools/program'),
      ours('files/write-in-place'),
    ),
  },
  { name: 'graph-schemas', test: anyOf(ours('schema/graph-schema'), ours('schema/graph-value')) },
].map((group) => ({ ...group, includeDependenciesRecursively: false }));

/** Each group takes what the ones before it have left of all that its modules import. */
const groups = [
  ...apart,
  { name: 'commander', test: library('commander') },
  { name: 'yaml', test: library('yaml') },
  { name: 'handlebars', test: library('handlebars') },
  { name: 'string-width', test: library('string-width') },
  { name: 'jq-text', test: anyOf(ours('regex', 'jq'), ours('dates', 'jq')) },
  { name: 'jq', test: ours('', 'jq') },
  { name: 'basics', test: anyOf(ours('index'), ours('errors'), ours('values'), ours('files/read-file')) },
  { name: 'start', test: ours('cli/main') },
  {
    name: 'definitions',
    test: anyOf(ours('config/lint-workflow'), ours('config/load-plan'), ours('dialects/steps/lint-workflow')),
  },
  { name: 'configuration', test: ours('config/load-configuration') },
  { name: 'models', test: ours('models/live-requests') },
  { name: 'mcp', test: ours('tools/mcp') },
  { name: 'tools', test: anyOf(ours('tools/shell-tool'), ours('tools/skill')) },
  { name: 'capabilities', test: ours('capabilities') },
  { name: 'services', test: ours('config/build-services') },
  { name: 'runs', test: anyOf(ours('lait'), ours('engine')) },
  {
    name: 'run',
    test: anyOf(
      ours('cli/commands/run'),
      ours('cli/run/run-workflow'),
      ours('cli/run/resolve-workflow-file'),
    ),
  },
].map((group, index, all) => ({ ...group, priority: all.length - index }));

const { output } = await build({
  configFile: false,
  logLevel: 'error',
  root,
  plugins: [requireOnDemand],
  resolve: { alias: [{ find: /^yaml$/, replacement: yamlAsModules }] },
  ssr: { noExternal: bundled },
  build: {
    ssr: true,
    target: 'node20',
    write: false,
    minify: false,
    rolldownOptions: {
      input: { main: join(root, 'dist/cli/main.js'), library: join(root, 'dist/index.js') },
      output: {
        format: 'cjs',
        entryFileNames: '[name].cjs',
        chunkFileNames: '[name]-[hash].cjs',
        comments: false,
        // Names and lines stay: stack traces are read, and Node shows the line that threw.
        minify: { compress: true, mangle: false, codegen: { removeWhitespace: false } },
        codeSplitting: { groups },
      },
    },
  },
});

const bundle = join(root, 'dist/bundle');
rmSync(bundle, { recursive: true, force: true });
mkdirSync(bundle, { recursive: true });
for (const { fileName, code } of output)
  writeFileSync(join(bundle, fileName), withoutWideCharacters(loadOnFirstUse(code)));

// The face of the library is a module. Node looks through a CommonJS file that a module imports for its names, which takes
// longer than running it; between them stands a file that is looked through at once.
const names = Object.keys(await import(pathToFileURL(join(root, 'dist/index.js')).href));
writeFileSync(
  join(bundle, 'loader.cjs'),
  "const library = require('./library.cjs');\nmodule.exports = library;\n",
);
writeFileSync(
  join(bundle, 'index.mjs'),
  `import library from './loader.cjs';\n\nexport const { ${names.join(', ')} } = library;\n`,
);

// A package that is a module only must be bundled or imported on demand: this throws for it.
for (const name of new Set(output.flatMap(({ imports = [] }) => imports))) {
  if (!isBuiltin(name) && !output.some(({ fileName }) => fileName === name)) require(name);
}
