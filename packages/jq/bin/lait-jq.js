#!/usr/bin/env node
// A playground: lait-jq [-r] PROGRAM [FILE]. Reads JSON from the file or standard input and prints every output.
import { readFileSync } from 'node:fs';
import { compile, JqError } from '../dist/index.js';

const args = process.argv.slice(2);
const isRaw = args[0] === '-r';
if (isRaw) args.shift();
const [program, file] = args;
if (program === undefined || program === '--help' || args.length > 2) {
  console.error(
    'usage: lait-jq [-r] PROGRAM [FILE]\n\nRuns a jq program on the JSON of FILE or of standard input.\n  -r  print strings as they are',
  );
  process.exit(program === '--help' ? 0 : 2);
}

/** The line of an error with a mark below the place. */
function frame(source, { line, column, start, end }) {
  const text = source.split('\n')[line - 1] ?? '';
  const width = Math.max(1, Math.min(end - start, text.length - column + 1));
  return `${text}\n${' '.repeat(column - 1)}${'^'.repeat(width)}`;
}

try {
  const compiled = compile(program);
  const input = JSON.parse(readFileSync(file ?? 0, 'utf8'));
  for (const output of compiled.run(input)) {
    console.log(isRaw && typeof output === 'string' ? output : JSON.stringify(output, null, 2));
  }
} catch (error) {
  if (error instanceof JqError) {
    console.error(`lait-jq: ${error.message}`);
    if (error.range !== undefined) console.error(frame(program, error.range));
  } else console.error(`lait-jq: ${error.message}`);
  process.exitCode = error instanceof JqError && error.name === 'JqCompileError' ? 3 : 1;
}
