import { CancelledError, ModelError, StepError, TimeoutError, UsageError } from '../errors/errors.js';
import { explainOverflow } from '../errors/explain-overflow.js';
import { isLaitError, LaitError, messageChain } from '../errors/lait-error.js';
import type { PlanNode } from '../plan/plan.js';
import { shownJson } from '../values/text.js';
import type { JsonValue, Value } from '../values/value.js';
import type { FailureRecord } from './events.js';

/** A step failed: names the step and keeps the reason as its cause. Made once, at the innermost step. */
export class StepFailure extends LaitError {
  readonly path: string;

  constructor(node: PlanNode, attempt: number, reason: unknown) {
    const cause = explainOverflow(reason);
    const name = node.id === undefined ? node.path : `${node.path} (id '${node.id}')`;
    super({
      code: isLaitError(cause) ? cause.code : 'step_failed',
      message: `${name} failed`,
      details: {
        ...(isLaitError(cause) ? cause.details : {}),
        path: node.path,
        ...(node.id === undefined ? {} : { id: node.id }),
        ...(node.position === undefined
          ? {}
          : { file: node.position.file, line: node.position.line, column: node.position.column }),
        ...(attempt > 1 ? { attempt } : {}),
      },
      cause,
    });
    this.path = node.path;
  }
}

/** Says in which branch, item or child workflow a failure happened. */
export class PlacedFailure extends LaitError {
  constructor(place: string, cause: unknown, details: Record<string, JsonValue> = {}) {
    super({
      code: isLaitError(cause) ? cause.code : 'step_failed',
      message: place,
      details: { ...(isLaitError(cause) ? cause.details : {}), ...details },
      cause,
    });
  }
}

/** Says in which element of a list a failure happened, with the beginning of the element. Source: field report FR-13. */
export function itemFailure(error: unknown, index: number, item: Value): PlacedFailure {
  const text = shownJson(item);
  const preview = text.length <= 80 ? text : `${text.slice(0, 79)}…`;
  return new PlacedFailure(`item [${index}] (${preview}) failed`, error, { item: index });
}

/** What failed in the end, below the places that the failure passed. */
export function rootFailure(error: unknown): unknown {
  let current = error;
  while ((current instanceof StepFailure || current instanceof PlacedFailure) && current.cause !== undefined)
    current = current.cause;
  return current;
}

/** A failure as data, for events and records. */
export function toFailureRecord(error: unknown): FailureRecord {
  const message = messageChain(error);
  if (!isLaitError(error)) return { code: 'step_failed', category: 'failed', message };
  const reason = messageChain(rootFailure(error));
  return {
    code: error.code,
    category: error.category,
    message,
    ...(reason === message ? {} : { reason }),
    ...(Object.keys(error.details).length === 0 ? {} : { details: error.details }),
  };
}

/** The error that a record stands for: what a replayed failure throws. */
export function fromFailureRecord(record: FailureRecord): LaitError {
  const options = { code: record.code, message: record.message, details: record.details ?? {} };
  switch (record.category) {
    case 'model':
      return new ModelError(options);
    case 'timeout':
      return new TimeoutError(options);
    case 'cancelled':
      return new CancelledError(options);
    case 'usage':
      return new UsageError(options);
    default:
      return new StepError({ ...options, category: record.category });
  }
}
