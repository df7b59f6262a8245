import { HttpProblem } from '../../../http/problem.js';

/** Why no graph was composed; this interface tells it as `{code, message}`. Source: graph facts §8.1. */
export class DesignerProblem extends HttpProblem {}

/** No model is there to compose with. */
export function notConfigured(reason: string, cause?: unknown): DesignerProblem {
  return new DesignerProblem({
    status: 503,
    code: 'workflow_designer_not_configured',
    detail: `graphs are composed by the model that \`default.model\` of lait.config.yml names: ${reason}`,
    cause,
  });
}
