import type { RouteGroup } from '../../http/route.js';
import { dynamicErrorBody } from './errors.js';
import { launchRoutes } from './launch-routes.js';
import { runRoutes } from './run-routes.js';
import { storedWorkflowRoutes } from './stored-workflow-routes.js';
import { workflowRoutes } from './workflow-routes.js';

/** The interface that clients of the dynamic form know. Source: dynamic facts §7. */
export const dynamicApi: RouteGroup = {
  prefix: '/api',
  routes: [...workflowRoutes, ...launchRoutes, ...runRoutes, ...storedWorkflowRoutes],
  errorBody: dynamicErrorBody,
};
