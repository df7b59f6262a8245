import { readFileSync } from 'node:fs';
import type { JsonValue } from '../../src/index.js';
import { JsonReader } from '../../src/values/json-reader.js';

/** One case of a `.test` file. */
export interface SuiteCase {
  /** `file:line` of the program. */
  readonly id: string;
  readonly program: string;
  /** The program must not compile. */
  readonly fails: boolean;
  readonly input: string;
  readonly expected: readonly string[];
}

/** Reads a `.test` file: program, input and outputs on lines of their own, blank lines between the cases. */
export function readSuite(name: string): SuiteCase[] {
  const lines = readFileSync(new URL(`../suites/${name}`, import.meta.url), 'utf8').split('\n');
  const isBlank = (line: string | undefined): boolean => line === undefined || /^\s*(#|$)/.test(line);
  const cases: SuiteCase[] = [];
  for (let at = 0; at < lines.length; ) {
    if (isBlank(lines[at])) {
      at++;
      continue;
    }
    const fails = lines[at]!.startsWith('%%FAIL');
    if (fails) at++;
    while (isBlank(lines[at])) at++;
    const id = `${name}:${at + 1}`;
    const program = lines[at++]!;
    const input = fails ? 'null' : lines[at++]!;
    const expected: string[] = [];
    while (at < lines.length && !isBlank(lines[at])) expected.push(lines[at++]!);
    cases.push({ id, program, fails, input, expected });
  }
  return cases;
}

/** Reads a value as jq reads its input: with nan, infinities and any number of digits. */
export function readValue(text: string): JsonValue {
  return new JsonReader(text, () => {}).read((problem) => {
    throw new Error(`${problem}: ${text}`);
  });
}

/** What values look like when printed: NaN is null, infinities are the largest numbers, -0 is 0. */
export function printed(value: JsonValue): JsonValue {
  if (typeof value === 'number') {
    if (Number.isNaN(value)) return null;
    return Math.max(-Number.MAX_VALUE, Math.min(Number.MAX_VALUE, value)) + 0;
  }
  if (Array.isArray(value)) return value.map(printed);
  if (typeof value === 'object' && value !== null) {
    return Object.fromEntries(Object.entries(value).map(([key, part]) => [key, printed(part)]));
  }
  return value;
}
