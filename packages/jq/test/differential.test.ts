import fc from 'fast-check';
import { expect, it } from 'vitest';
import { comparePrograms } from './differential/compare.js';
import { programs, values } from './differential/grammar.js';

const runs = Number(process.env.JQ_DIFFERENTIAL_RUNS ?? 1000);
const seed = Number(process.env.JQ_DIFFERENTIAL_SEED ?? 20_260_727);

it(`gives what the reference build gives (${runs} programs, seed ${seed})`, {
  timeout: 600_000,
}, async () => {
  const differences: string[] = [];
  let equal = 0;
  for (const [program, value] of fc.sample(fc.tuple(programs, values), { numRuns: runs, seed })) {
    const found = await comparePrograms(program, value);
    if (found.kind === 'different') differences.push(found.text);
    if (found.kind === 'equal') equal++;
  }
  expect(differences).toEqual([]);
  expect(equal).toBeGreaterThan(runs * 0.9);
});
