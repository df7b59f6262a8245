import type { LaitServices } from '../config/build-services.js';
import { pricingOf } from '../observe/usage-report.js';
import type { Plan } from '../plan/plan.js';
import { singleStepPlan } from '../plan/single-step-plan.js';
import type { JsonValue } from '../values/value.js';
import { readEvalFile } from './read-test-file.js';
import { type CaseRun, failureText, runCase } from './run-case.js';
import { runPool } from './run-pool.js';
import type { EvalFile, EvalTarget } from './test-file.js';
import { type TestSurroundings, testServices, workflowUnderTest } from './test-services.js';

export interface EvalOptions extends TestSurroundings {
  /** Runs of each case. Default 1. */
  repeat?: number;
  /** Only cases whose file, eval name or case name holds this text. */
  filter?: string;
  /** Runs at once. Default 1: cases are asked in their order, one after the other. */
  jobs?: number;
}

/** How a case came out. */
export interface EvalCaseResult {
  file: string;
  /** Counts from 1 in its file. */
  case: number;
  name?: string;
  input: JsonValue;
  passed: number;
  total: number;
  runs: readonly CaseRun[];
}

export interface EvalResults {
  cases: readonly EvalCaseResult[];
  /** Files that could not be evaluated at all. */
  broken: readonly { file: string; error: unknown; failure: string }[];
}

/** Evaluates files against the live model. Cases in the order of the files. Source: facts §19. */
export async function runEvals(files: readonly string[], options: EvalOptions): Promise<EvalResults> {
  const services = testServices(options);
  const cases: EvalCaseResult[] = [];
  const broken: { file: string; error: unknown; failure: string }[] = [];
  try {
    for (const file of files) {
      options.signal.throwIfAborted();
      try {
        cases.push(...(await evaluate(await readEvalFile(file, options), services, options)));
      } catch (error) {
        options.signal.throwIfAborted();
        broken.push({ file, error, failure: failureText(error) });
      }
    }
  } finally {
    await services.close();
  }
  return { cases, broken };
}

async function evaluate(
  { file, name, target, cases }: EvalFile,
  services: LaitServices,
  options: EvalOptions,
): Promise<EvalCaseResult[]> {
  const { configuration, signal, repeat = 1, jobs = 1, filter, onEvent } = options;
  const plan = await planOf(target, file, options);
  const pricing = pricingOf(configuration.values.models, plan.settings.models);
  const chosen = cases.flatMap((one, index) => {
    const texts = [file, name, one.name];
    return filter === undefined || texts.some((text) => text?.includes(filter))
      ? [{ ...one, number: index + 1 }]
      : [];
  });
  const runs = chosen.flatMap((one) => Array.from({ length: repeat }, () => one));
  const ended = await runPool(runs, jobs, (one) => {
    signal.throwIfAborted();
    const toldOf = onEvent && ((event: Parameters<typeof onEvent>[1]) => onEvent(file, event));
    return runCase(plan, one, { services: services.forRun(), pricing, signal, onEvent: toldOf });
  });
  return chosen.map((one, index) => {
    const own = ended.slice(index * repeat, (index + 1) * repeat);
    return {
      file,
      case: one.number,
      ...(one.name === undefined ? {} : { name: one.name }),
      input: one.input,
      passed: own.filter(({ pass }) => pass).length,
      total: repeat,
      runs: own,
    };
  });
}

async function planOf(target: EvalTarget, file: string, options: EvalOptions): Promise<Plan> {
  if ('workflow' in target) return workflowUnderTest(target.workflow, options);
  const { prompt, system, settings } = target;
  return singleStepPlan(
    'prompt',
    { prompt, ...(system === undefined ? {} : { system }), ...settings },
    { id: file },
  );
}
