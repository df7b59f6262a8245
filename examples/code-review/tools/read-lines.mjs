import { readFileSync } from 'node:fs';

const [, , file, from, to] = process.argv;
const lines = readFileSync(file, 'utf8').split('\n');
for (let line = Number(from); line <= Math.min(Number(to), lines.length); line += 1) {
  console.log(`${line}: ${lines[line - 1]}`);
}
