import { isLaitError, type LaitError, messageChain } from '../../errors/lait-error.js';
import type { Diagnostic } from '../../plan/diagnostic.js';
import { HttpProblem } from './problem.js';

/** Statuses of the codes that are no fault of a request's content. */
const statusOfCode: Readonly<Record<string, number>> = {
  run_not_found: 404,
  workflow_unknown: 404,
  unknown_workflow: 404,
  run_conflict: 409,
  run_exists: 409,
  lease_lost: 409,
  database_full: 507,
};

/** What clients are told when the server lacks something; where it is concerns the log alone. */
const unavailable: Readonly<Record<number, string>> = {
  503: 'the database cannot be reached; try again',
  507: 'the disk of the server is full; nothing was stored',
};

/** Categories whose errors say that the request's content is wrong. */
const unprocessableCategories = new Set(['usage', 'definition']);

/** The refusal that an error means. What nobody foresaw is told to the log alone, never to the client. */
export function problemOf(error: unknown): HttpProblem {
  if (error instanceof HttpProblem) return error;
  if (!isLaitError(error)) return internal(error);
  const status = statusOf(error);
  if (status === 500) return internal(error);
  const { diagnostics } = error as Partial<{ diagnostics: readonly Diagnostic[] }>;
  return new HttpProblem({
    status,
    code: error.code,
    detail: unavailable[status] ?? messageChain(error),
    members: error.details,
    ...(status === 503 && { headers: { 'retry-after': '1' } }),
    ...(diagnostics !== undefined && diagnostics.length > 0 && { diagnostics }),
    cause: error,
  });
}

function statusOf({ code, category }: LaitError): number {
  if (Object.hasOwn(statusOfCode, code)) return statusOfCode[code]!;
  if (code.startsWith('database_')) return 503;
  return unprocessableCategories.has(category) ? 422 : 500;
}

function internal(cause: unknown): HttpProblem {
  return new HttpProblem({
    status: 500,
    code: 'internal_error',
    detail: 'the server failed; its log says why under the id of this request',
    cause,
  });
}
