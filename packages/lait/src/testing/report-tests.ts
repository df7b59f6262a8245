import { printable } from '../values/printable.js';
import type { JsonObject } from '../values/value.js';
import { junitReport } from './junit.js';
import type { TestResult } from './run-tests.js';

export type ReportFormat = 'text' | 'json' | 'junit';

/** What `lait test` prints in each format. Source: facts §19. */
export const testReports: Readonly<Record<ReportFormat, (results: readonly TestResult[]) => string>> = {
  text: (results) => `${results.map(resultText).join('')}${totals(results)}\n`,
  json: (results) => `${JSON.stringify(results.map(resultJson), null, 2)}\n`,
  junit: (results) =>
    junitReport(
      results.map((result) => {
        const { file, name = file, run } = result;
        const cases = run.assertions.map(({ path, type, pass, message }) => ({
          name: `${path} ${type}`,
          ...(pass ? {} : { failure: message }),
        }));
        const ended = { name: 'runs', ...(run.assertions.length > 0 ? {} : { failure: run.failures[0] }) };
        return { file, name, seconds: run.durationMs / 1000, cases: [ended, ...cases] };
      }),
    ),
};

function resultText({ file, name, pass, passed, total, run }: TestResult): string {
  const title = name === undefined ? '' : ` (${printable(name)})`;
  const count = total > 1 ? ` ${passed}/${total}` : '';
  const failures = run.failures.map((failure) => `${indented(failure)}\n`);
  return `${printable(file)}${title}: ${pass ? 'PASS' : 'FAIL'}${count}\n${failures.join('')}`;
}

function resultJson({ file, name, pass, passed, total, run }: TestResult): JsonObject {
  return {
    file,
    ...(name === undefined ? {} : { name }),
    status: pass ? 'pass' : 'fail',
    failures: [...run.failures],
    assertions: run.assertions.map((assertion) => ({ ...assertion })),
    passed,
    total,
    output: run.output,
    duration_ms: run.durationMs,
  };
}

function totals(results: readonly TestResult[]): string {
  const passed = results.filter(({ pass }) => pass).length;
  const failed = results.length - passed;
  return `${results.length} test${results.length === 1 ? '' : 's'}: ${passed} passed, ${failed} failed`;
}

/** Every line behind two spaces. */
export function indented(text: string): string {
  return printable(text).replace(/^/gm, '  ');
}
