// Runs many generated programs here and in the reference build, and prints how they differ.
//   node test/differential/run.mjs [runs] [seed]      (after npm run build in the workspace root)
import { fileURLToPath } from 'node:url';
import { createServer } from 'vite';

const runs = Number(process.argv[2] ?? 20_000);
const seed = Number(process.argv[3] ?? Date.now() % 2 ** 31);
const server = await createServer({
  root: fileURLToPath(new URL('../../', import.meta.url)),
  logLevel: 'error',
  server: { middlewareMode: true, ws: false },
  optimizeDeps: { noDiscovery: true },
  appType: 'custom',
});
const { programs, values } = await server.ssrLoadModule('/test/differential/grammar.ts');
const { comparePrograms } = await server.ssrLoadModule('/test/differential/compare.ts');
const { default: fc } = await import('fast-check');
console.log(`${runs} programs, seed ${seed}`);
const counts = { equal: 0, skipped: 0, different: 0 };
for (const [program, value] of fc.sample(fc.tuple(programs, values), { numRuns: runs, seed })) {
  const found = await comparePrograms(program, value);
  counts[found.kind]++;
  if (found.kind === 'different') console.log(`\n${found.text}`);
}
console.log(
  `\n${counts.equal} equal, ${counts.different} different, ${counts.skipped} beyond a budget or the reference`,
);
await server.close();
process.exit(counts.different === 0 ? 0 : 1);
