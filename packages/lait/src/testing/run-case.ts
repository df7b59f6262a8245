import type { RunEvent } from '../engine/events.js';
import { DefinitionError, StepError } from '../errors/errors.js';
import { messageChain } from '../errors/lait-error.js';
import { problemsBehind } from '../errors/problems-behind.js';
import type { Services } from '../kinds/services.js';
import type { Pricing } from '../observe/usage-report.js';
import type { Diagnostic } from '../plan/diagnostic.js';
import { sentence } from '../plan/format-diagnostics.js';
import type { Plan } from '../plan/plan.js';
import { runPlan } from '../run-plan.js';
import { textOf } from '../values/text.js';
import type { AssertionResult } from './assertion.js';
import { checkAssertions } from './check-assertions.js';
import { Observation } from './observation.js';
import type { TestCase } from './test-file.js';

export interface RunCaseOptions {
  services: Services;
  pricing: ReadonlyMap<string, Pricing>;
  signal: AbortSignal;
  onEvent?: (event: RunEvent) => void;
}

/** How one run of a case came out. */
export interface CaseRun {
  pass: boolean;
  /** One result for each assertion; empty when the run itself failed. */
  assertions: readonly AssertionResult[];
  /** What went wrong, in words; empty when it passed. */
  failures: readonly string[];
  /** What made the run itself fail. */
  error?: unknown;
  /** The result's text form; null when there is none. */
  output: string | null;
  durationMs: number;
}

/**
 * Runs a plan with the input of a case and checks what must hold. What goes wrong in the run is a failure of the case;
 * throws only when `signal` is aborted. A question is answered by the case, else by its own default.
 */
export async function runCase(plan: Plan, test: TestCase, options: RunCaseOptions): Promise<CaseRun> {
  const { services, pricing, signal, onEvent } = options;
  const observation = new Observation(test.inputs, pricing);
  const startedAt = performance.now();
  const ended = (run: Omit<CaseRun, 'durationMs'>): CaseRun => ({
    ...run,
    durationMs: Math.round(performance.now() - startedAt),
  });
  try {
    const result = await runPlan(
      plan,
      { value: test.input, inputs: test.inputs },
      {
        services,
        signal,
        onEvent: (event) => {
          observation.add(event);
          onEvent?.(event);
        },
        answerer: async (question, { address }) => {
          const id = observation.askingStep(address);
          const own = id !== undefined && Object.hasOwn(test.answers, id) ? test.answers[id] : undefined;
          const answer = own ?? question.default;
          if (answer !== undefined) return answer;
          const step = id === undefined ? 'a step without an id' : `the step '${id}'`;
          throw new StepError({
            code: 'no_answer',
            message: `${step} asks and the test has no answer: give one under answers:, by step id`,
          });
        },
      },
    );
    if (result.status === 'failed' || result.status === 'cancelled') throw result.error;
    if (result.status === 'parked') throw new Error('the run waits for an answer');
    observation.value = result.value;
    const assertions = await checkAssertions(test.assert, observation, {
      services,
      settings: plan.settings,
      signal,
    });
    const failures = assertions.flatMap(({ pass, path, type, message }) =>
      pass ? [] : [`${path} ${type}: ${message}`],
    );
    return ended({ pass: failures.length === 0, assertions, failures, output: textOf(result.value) });
  } catch (error) {
    signal.throwIfAborted();
    return ended({ pass: false, assertions: [], failures: [failureText(error)], error, output: null });
  }
}

/** A failure in words; of a wrong definition, before which nothing ran, every problem with its place. */
export function failureText(error: unknown): string {
  const problems = problemsBehind(error).diagnostics.filter(({ severity }) => severity === 'error');
  const before = error instanceof DefinitionError ? '' : 'the run failed: ';
  return [`${before}${messageChain(error)}`, ...problems.map(problemText)].join('\n');
}

function problemText(problem: Diagnostic): string {
  const { position, hint, code } = problem;
  const place = position === undefined ? '' : `${position.file}:${position.line}:${position.column}: `;
  return `  ${place}${sentence(problem)} [${code}]${hint === undefined ? '' : ` (${hint})`}`;
}
