import type { RouteGroup } from '../../http/route.js';
import { designerRoutes } from './designer/designer-routes.js';
import { graphErrorBody } from './graph-errors.js';
import { revisionRoutes } from './revision-routes.js';
import { runRoutes } from './run-routes.js';
import { templateRoutes } from './template-routes.js';
import { userTemplateRoutes } from './user-template-routes.js';
import { workflowRoutes } from './workflow-routes.js';

/** The interface that clients of the graph form know. Source: graph facts §8. */
export const graphApi: RouteGroup = {
  prefix: '/api/v1/workflows',
  routes: [
    ...workflowRoutes,
    ...revisionRoutes,
    ...templateRoutes,
    ...userTemplateRoutes,
    ...designerRoutes,
    ...runRoutes,
  ],
  errorBody: graphErrorBody,
};
