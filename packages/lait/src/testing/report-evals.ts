import { preview, printable } from '../values/printable.js';
import { textOf } from '../values/text.js';
import type { JsonObject } from '../values/value.js';
import { junitReport } from './junit.js';
import { indented, type ReportFormat } from './report-tests.js';
import type { EvalCaseResult, EvalResults } from './run-evals.js';

/** What `lait eval` prints in each format. Source: facts §19. */
export const evalReports: Readonly<Record<ReportFormat, (results: EvalResults) => string>> = {
  text: evalText,
  json: ({ cases, broken }) =>
    `${JSON.stringify(
      [
        ...cases.map(caseJson),
        ...broken.map(({ file, failure }) => ({ file, status: 'fail', failures: [failure] })),
      ],
      null,
      2,
    )}\n`,
  junit: evalJunit,
};

function evalText({ cases, broken }: EvalResults): string {
  const files = [...new Set(cases.map(({ file }) => file))];
  const parts = files.map((file) => {
    const own = cases.filter((one) => one.file === file);
    return `${printable(file)}:\n${own.map(caseText).join('')}`;
  });
  const failures = broken.map(({ file, failure }) => `${printable(file)}: FAIL\n${indented(failure)}\n`);
  const passed = cases.filter(isPass).length;
  const failed = cases.length - passed + broken.length;
  const count = `${cases.length} case${cases.length === 1 ? '' : 's'}: ${passed} passed, ${failed} failed\n`;
  return [...parts, ...failures, count].join('');
}

function caseText(result: EvalCaseResult): string {
  const { case: number, name, input, passed, total, runs } = result;
  const percent = Math.floor((passed / total) * 100);
  const verdict = isPass(result) ? 'PASS' : 'FAIL';
  const title = preview(name ?? textOf(input), 60);
  // The same failure in ten runs is one thing to read.
  const failures = [...new Set(runs.flatMap((run) => run.failures))];
  return [
    `case ${number}: ${passed}/${total} (${percent}%) ${verdict}  ${title}\n`,
    ...failures.map((failure) => `${indented(failure)}\n`),
  ].join('');
}

function caseJson({ file, case: number, name, input, passed, total, runs }: EvalCaseResult): JsonObject {
  return {
    file,
    case: number,
    ...(name === undefined ? {} : { name }),
    input,
    passed,
    total,
    success_rate: passed / total,
    runs: runs.map(({ pass, failures, assertions, output, durationMs }) => ({
      status: pass ? 'pass' : 'fail',
      failures: [...failures],
      assertions: assertions.map((assertion) => ({ ...assertion })),
      output,
      duration_ms: durationMs,
    })),
  };
}

function evalJunit({ cases, broken }: EvalResults): string {
  const files = [...new Set(cases.map(({ file }) => file))];
  return junitReport([
    ...files.map((file) => {
      const own = cases.filter((one) => one.file === file);
      const milliseconds = own.flatMap(({ runs }) => runs).reduce((sum, run) => sum + run.durationMs, 0);
      return {
        file,
        name: file,
        seconds: milliseconds / 1000,
        cases: own.map((one) => ({
          name: `case ${one.case}${one.name === undefined ? '' : ` ${one.name}`}`,
          ...(isPass(one)
            ? {}
            : {
                failure: [
                  `${one.passed} of ${one.total} runs passed`,
                  ...new Set(one.runs.flatMap((run) => run.failures)),
                ].join('\n'),
              }),
        })),
      };
    }),
    ...broken.map(({ file, failure }) => ({
      file,
      name: file,
      seconds: 0,
      cases: [{ name: 'runs', failure }],
    })),
  ]);
}

function isPass({ passed, total }: EvalCaseResult): boolean {
  return passed === total;
}
