import { z } from 'zod';
import { type Route, route } from '../../../http/route.js';
import { composeGraph } from './compose-graph.js';
import { composedView } from './composed-view.js';
import { DesignerProblem } from './designer-problem.js';

/** Longest requirement, in characters. */
const longestRequirement = 20_000;

export const designerRoutes: readonly Route[] = [
  route({
    method: 'post',
    path: '/designer/compose',
    operation: 'composeGraphWorkflow',
    summary: 'Let the default model draft a graph; nothing is stored',
    tag: 'Templates',
    scope: 'write',
    body: z.object({ requirement: z.string() }),
    responses: {
      200: { description: 'The draft as a package that can be imported, and what is wrong with it.' },
      400: { description: 'The requirement is empty or too long.' },
      502: { description: 'The model does not answer.' },
      503: { description: 'No model is configured.' },
    },
    async handle({ body, actor, signal }, server) {
      const requirement = body.requirement.trim();
      if (requirement === '' || requirement.length > longestRequirement)
        throw new DesignerProblem({
          status: 400,
          code: 'invalid_requirement',
          detail: `say in 1 to ${longestRequirement} characters what the workflow is for`,
        });
      const composed = await composeGraph(requirement, server, signal);
      await server.audit.record(actor, 'graph.composed', null);
      return { body: composedView(composed, server.services) };
    },
  }),
];
