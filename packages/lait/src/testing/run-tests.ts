import { DefinitionError } from '../errors/errors.js';
import { pricingOf } from '../observe/usage-report.js';
import { readTestFile } from './read-test-file.js';
import type { CaseRun } from './run-case.js';
import { failureText, runCase } from './run-case.js';
import { runPool } from './run-pool.js';
import type { TestFile } from './test-file.js';
import { type TestSurroundings, testServices, workflowUnderTest } from './test-services.js';

export interface TestOptions extends TestSurroundings {
  /** Runs of each file. Default 1. */
  repeat?: number;
  /** Asks the live model and records its replies instead of replaying. */
  update?: boolean;
  /** Only files whose path or name holds this text. */
  filter?: string;
  /** Files that are worked on at once. Default 8. Source: facts §19. */
  jobs?: number;
}

/** How a test file came out. */
export interface TestResult {
  file: string;
  name?: string;
  pass: boolean;
  /** Runs that passed, and all of them; several with `repeat`. */
  passed: number;
  total: number;
  /** The first run that failed, else the last one. */
  run: CaseRun;
}

/** Runs test files, each with replies from its recordings. Results in the order of `files`. Source: facts §19. */
export async function runTests(files: readonly string[], options: TestOptions): Promise<TestResult[]> {
  const results = await runPool(files, options.jobs ?? 8, (file) => runTest(file, options));
  return results.filter((result) => result !== undefined);
}

async function runTest(file: string, options: TestOptions): Promise<TestResult | undefined> {
  const { signal, filter } = options;
  signal.throwIfAborted();
  let test: TestFile;
  try {
    test = await readTestFile(file, { signal });
  } catch (error) {
    if (!(error instanceof DefinitionError)) throw error;
    return wanted(file, undefined, filter) ? failed(file, error) : undefined;
  }
  if (!wanted(file, test.name, filter)) return undefined;
  const about = { file, ...(test.name === undefined ? {} : { name: test.name }) };
  try {
    return { ...about, ...(await repeated(test, options)) };
  } catch (error) {
    signal.throwIfAborted();
    return { ...failed(file, error), ...about };
  }
}

async function repeated(test: TestFile, options: TestOptions): Promise<Omit<TestResult, 'file' | 'name'>> {
  const { configuration, signal, repeat = 1, update = false, onEvent } = options;
  const plan = await workflowUnderTest(test.workflow, options);
  const services = testServices(
    options,
    update ? { recordDirectory: test.replay } : { replayDirectory: test.replay },
  );
  try {
    const runs: CaseRun[] = [];
    for (let run = 0; run < repeat; run += 1) {
      runs.push(
        await runCase(plan, test, {
          services: services.forRun(),
          pricing: pricingOf(configuration.values.models, plan.settings.models),
          signal,
          onEvent: (event) => onEvent?.(test.file, event),
        }),
      );
    }
    const passed = runs.filter(({ pass }) => pass).length;
    const run = runs.find(({ pass }) => !pass) ?? runs.at(-1)!;
    return { pass: passed === repeat, passed, total: repeat, run };
  } finally {
    await services.close();
  }
}

function wanted(file: string, name: string | undefined, filter: string | undefined): boolean {
  return filter === undefined || file.includes(filter) || (name?.includes(filter) ?? false);
}

function failed(file: string, error: unknown): TestResult {
  const run = {
    pass: false,
    assertions: [],
    failures: [failureText(error)],
    error,
    output: null,
    durationMs: 0,
  };
  return { file, pass: false, passed: 0, total: 1, run };
}
