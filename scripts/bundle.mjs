// Bundles the command line into packages/lait/dist/bundle: starting it then reads a few files instead of hundreds. What
// only some commands need (the model client, MCP, servers, stores) stays in chunks and packages of its own.
import { fileURLToPath } from 'node:url';
import { build } from 'vite';

await build({
  configFile: false,
  logLevel: 'warn',
  root: fileURLToPath(new URL('../packages/lait', import.meta.url)),
  ssr: { noExternal: ['@lait/jq', 'commander', 'yaml'] },
  build: {
    ssr: 'dist/cli/main.js',
    outDir: 'dist/bundle',
    target: 'node20',
    minify: false,
    emptyOutDir: true,
    rolldownOptions: { output: { entryFileNames: '[name].js', chunkFileNames: '[name]-[hash].js' } },
  },
});
