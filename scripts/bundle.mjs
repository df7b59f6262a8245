// Bundles the command line and the library into packages/lait/dist/bundle: starting them then reads a few files instead
// of hundreds. Both share their chunks, which are CommonJS, because Node starts that fastest, and which load each other
// on first use. Large libraries (MCP, servers, stores) stay packages that are loaded when they are needed.
import { mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { createRequire, isBuiltin } from 'node:module';
import { dirname, join } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { build } from 'vite';
import { alone, byUse, chunksLoaded } from './chunks-by-use.mjs';
import { loadOnFirstUse } from './load-on-first-use.mjs';

const root = fileURLToPath(new URL('../packages/lait', import.meta.url));
const directory = join(root, 'dist/bundle');
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

/** The chunks of both programs, by groups of `codeSplitting`. */
async function chunks(groups) {
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

  return output;
}

// The face of the library is a module. Node looks through a CommonJS file that a module imports for its names, which
// takes longer than running it: Node gets a face that requires it. Bundlers follow imports only: between their face and
// the library stands a file that is looked through at once, in case Node meets it, too.
const names = Object.keys(await import(pathToFileURL(join(root, 'dist/index.js')).href));
const exported = `export const { ${names.join(', ')} } = library;\n`;
const face = {
  'node.mjs': `import { createRequire } from 'node:module';\n\nconst library = createRequire(import.meta.url)('./library.cjs');\n${exported}`,
  'index.mjs': `import library from './loader.cjs';\n\n${exported}`,
  'loader.cjs': "module.exports = require('./library.cjs');\n",
};

/** Replaces what is in the directory by chunks. */
function write(output) {
  rmSync(directory, { recursive: true, force: true });
  mkdirSync(directory, { recursive: true });
  for (const { fileName, code } of output)
    writeFileSync(join(directory, fileName), withoutWideCharacters(loadOnFirstUse(code)));
  for (const [fileName, code] of Object.entries(face)) writeFileSync(join(directory, fileName), code);
}

const apart = await chunks(alone);
write(apart);
const loaded = await chunksLoaded(directory);
const used = new Map(
  apart.flatMap(({ fileName, moduleIds }) =>
    loaded.has(fileName) ? moduleIds.map((id) => [id, loaded.get(fileName)]) : [],
  ),
);
const output = await chunks(byUse(used));
write(output);

// A package that is a module only must be bundled or imported on demand: this throws for it.
for (const name of new Set(output.flatMap(({ imports = [] }) => imports))) {
  if (!isBuiltin(name) && !output.some(({ fileName }) => fileName === name)) require(name);
}
