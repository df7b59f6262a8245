import { HttpProblem } from '../../http/problem.js';
import type { RouteGroup } from '../../http/route.js';

/** Statuses that clients of the dynamic form's interface expect in place of the server's own. */
const statusOf: Readonly<Record<number, number>> = { 405: 404, 422: 400 };

/**
 * Errors as `{error, issues?}`. What does not fit its schema is 400; a definition that breaks the rules is 500, as the
 * interface's clients know it. Source: dynamic facts §7.
 */
export const dynamicErrorBody: NonNullable<RouteGroup['errorBody']> = (problem) => {
  const { errors, diagnostics } = problem.document();
  const isDefinition = problem.code === 'dynamic_workflow_invalid';
  const issues = errors?.map(({ path, message }) => ({ field: path, message }));
  const which = errors?.[0]?.in === 'query' ? 'Invalid query parameters' : 'Invalid request body';
  return {
    status: isDefinition ? 500 : (statusOf[problem.status] ?? problem.status),
    contentType: 'application/json',
    body: {
      error: issues === undefined ? problem.message : which,
      ...(issues !== undefined && { issues }),
      ...(diagnostics !== undefined && { diagnostics }),
    },
  };
};

export function badRequest(detail: string): HttpProblem {
  return new HttpProblem({ status: 400, code: 'request_invalid', detail });
}

export function runNotFound(): HttpProblem {
  return new HttpProblem({ status: 404, code: 'run_not_found', detail: 'Workflow run not found' });
}
