import { readdirSync, readFileSync } from 'node:fs';

const word = process.argv[2].toLowerCase();
const found = readdirSync('library')
  .sort()
  .map((name) => [name, readFileSync(`library/${name}`, 'utf8')])
  .filter(([, text]) => text.toLowerCase().includes(word));
console.log(found.map(([name, text]) => `${name}: ${text.trim()}`).join('\n') || 'nothing');
