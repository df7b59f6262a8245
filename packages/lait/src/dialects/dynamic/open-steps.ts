import type { Question } from '../../engine/question.js';
import { LaitError } from '../../errors/lait-error.js';
import { type JsonObject, setOwnProperty } from '../../values/value.js';

/** A step that waits, with the ids that lead to it: those of the calls of nested workflows around it, then its own. */
export interface OpenStep {
  address: string;
  question: Question;
  path: readonly string[];
}

/** Where suspended steps are, and what they handed along. Source: dynamic facts §6.1. */
export interface Suspension {
  suspended: string[][];
  suspendPayload: JsonObject;
}

/** What a client says about the step that it resumes. */
export interface StepChoice {
  /** The suspended step: its id, or the ids that lead to it. Not needed when only one step is suspended. */
  step?: string | readonly string[];
  /** Which element of a foreach, when several are suspended. Default: the first. */
  forEachIndex?: number;
}

/** In the order in which the steps began. */
export function sortOpenSteps(steps: readonly OpenStep[], started: readonly string[]): OpenStep[] {
  return [...steps].sort((one, other) => started.indexOf(one.path[0]!) - started.indexOf(other.path[0]!));
}

/** Where a run waits and with what payload, as its result says it. */
export function suspensionOf(open: readonly OpenStep[]): Suspension {
  const suspended = new Map<string, string[]>();
  const suspendPayload: JsonObject = {};
  for (const { path, question } of open) {
    const name = JSON.stringify(path);
    if (!suspended.has(name)) suspended.set(name, [...path]);
    if (!Object.hasOwn(suspendPayload, path[0]!))
      setOwnProperty(suspendPayload, path[0]!, question.payload ?? { question: question.text });
  }
  return { suspended: [...suspended.values()], suspendPayload };
}

/**
 * The step that is meant. Throws a `LaitError` (`run_not_suspended`, `step_not_suspended`) when there is none, or more
 * than one and none is named.
 */
export function chooseOpenStep(
  open: readonly OpenStep[],
  { step, forEachIndex }: StepChoice,
  runId: string,
): OpenStep {
  if (open.length === 0)
    throw new LaitError({ code: 'run_not_suspended', message: `run '${runId}' has no suspended step` });
  const wanted = typeof step === 'string' ? [step] : step;
  const matching =
    wanted === undefined ? open : open.filter(({ path }) => wanted.every((id, index) => path[index] === id));
  const target = matching[forEachIndex ?? 0];
  const names = [...new Set(open.map(({ path }) => path.join('.')))];
  if (target !== undefined && (wanted !== undefined || names.length === 1)) return target;
  const asked =
    wanted === undefined
      ? 'several steps are suspended; name one'
      : `step '${wanted.join('.')}' is not suspended`;
  throw new LaitError({
    code: 'step_not_suspended',
    message: `${asked}; suspended: ${names.join(', ')}`,
  });
}
