// Bundles the command line into packages/lait/dist/bundle: starting it then reads a few files instead of hundreds.
// CommonJS without white space, because Node starts that fastest. What only some commands need stays in chunks, and large
// libraries (the model client, MCP, servers, stores) stay packages that are loaded when they are needed.
import { createRequire, isBuiltin } from 'node:module';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { build } from 'vite';

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

const { output } = await build({
  configFile: false,
  logLevel: 'error',
  root,
  plugins: [requireOnDemand],
  resolve: { alias: [{ find: /^yaml$/, replacement: yamlAsModules }] },
  ssr: { noExternal: bundled },
  build: {
    ssr: 'dist/cli/main.js',
    outDir: 'dist/bundle',
    target: 'node20',
    emptyOutDir: true,
    minify: false,
    rolldownOptions: {
      output: {
        format: 'cjs',
        entryFileNames: '[name].cjs',
        chunkFileNames: '[name]-[hash].cjs',
        // Names stay: stack traces are read.
        minify: { compress: true, mangle: false, codegen: { removeWhitespace: true } },
        // Each group takes all that its modules import, so that a command opens three or four files.
        codeSplitting: {
          groups: [
            { name: 'start', test: /dist[\\/]cli[\\/]main\.js$/, priority: 3 },
            {
              name: 'definitions',
              test: /dist[\\/](config[\\/](lint-workflow|load-plan|load-configuration)|dialects[\\/]steps[\\/]lint-workflow)\.js$/,
              priority: 2,
            },
            {
              name: 'runs',
              test: /dist[\\/](config[\\/]build-services|engine[\\/]start-run)\.js$/,
              priority: 1,
            },
            {
              name: 'run',
              test: /dist[\\/]cli[\\/](commands[\\/]run|run[\\/](run-workflow|resolve-workflow-file))\.js$/,
              priority: 0,
            },
          ],
        },
      },
    },
  },
});

// A package that is a module only must be bundled or imported on demand: this throws for it.
for (const name of new Set(output.flatMap(({ imports = [] }) => imports))) {
  if (!isBuiltin(name) && !output.some(({ fileName }) => fileName === name)) require(name);
}
