import { loadJq } from 'jq-wasm';
import type { JsonValue } from '../../src/index.js';

/** What a program gives: its outputs, and whether an error ended them. */
export interface Outcome {
  readonly outputs: readonly JsonValue[];
  readonly error: string | null;
  /** The program does not compile. */
  readonly invalid: boolean;
}

let jq = await loadJq();

/** Runs a program with the reference build of jq. Null where that build itself breaks. */
export async function runReference(program: string, input: JsonValue): Promise<Outcome | null> {
  let result: { stdout: string; stderr: string; exitCode: number };
  try {
    result = jq.raw(JSON.stringify(input), program, ['-c']);
  } catch {
    // An aborted instance stays aborted.
    jq = await loadJq();
    return null;
  }
  if (result.exitCode === 3) return { outputs: [], error: null, invalid: true };
  if (/parse error/.test(result.stderr)) return null;
  const lines = result.stdout.split('\n').filter((line) => line !== '');
  const found = /jq: error \(at [^)]*\)(?: \(not a string\))?: ?(.*)/s.exec(result.stderr);
  try {
    return {
      outputs: lines.map((line) => JSON.parse(line) as JsonValue),
      error: found === null ? (result.exitCode === 0 ? null : result.stderr) : found[1]!.trim(),
      invalid: false,
    };
  } catch {
    return null;
  }
}
