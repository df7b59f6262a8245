import type { RouteGroup } from '../../http/route.js';
import { DesignerProblem } from './designer/designer-problem.js';

/**
 * Errors as `{detail}`: a text, `{message, errors}` when there are several to tell, or `{code, message}` of the
 * designer. A malformed request is 422 here. Source: graph facts §8.
 */
export const graphErrorBody: NonNullable<RouteGroup['errorBody']> = (problem) => {
  const { errors, diagnostics } = problem.document();
  if (problem instanceof DesignerProblem) {
    const { code, message, status } = problem;
    return { status, contentType: 'application/json', body: { detail: { code, message } } };
  }
  const isMalformed = problem.code === 'json_invalid' || problem.code === 'body_not_utf8';
  const list = diagnostics?.filter(({ severity }) => severity === 'error') ?? errors;
  return {
    status: isMalformed ? 422 : problem.status,
    contentType: 'application/json',
    body: {
      detail:
        list === undefined || list.length === 0
          ? problem.message
          : { message: problem.message, errors: list },
    },
  };
};
