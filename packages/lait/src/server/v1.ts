import { openApiDocument } from './http/openapi.js';
import { type RouteGroup, route } from './http/route.js';
import { definitionRoutes } from './routes/definition-routes.js';
import { inboxRoutes } from './routes/inbox-routes.js';
import { operationRoutes } from './routes/operation-routes.js';
import { registryRoutes } from './routes/registry-routes.js';
import { runActionRoutes } from './routes/run-action-routes.js';
import { runLogRoutes } from './routes/run-log-routes.js';
import { runRoutes } from './routes/run-routes.js';
import { versionRoutes } from './routes/version-routes.js';
import { scheduleRoutes } from './schedules/schedule-routes.js';
import { deliveryRoutes } from './webhooks/delivery-routes.js';
import { incomingRoutes } from './webhooks/incoming-routes.js';
import { webhookRoutes } from './webhooks/webhook-routes.js';

/** The server's own interface. */
export const v1: RouteGroup = {
  prefix: '/v1',
  routes: [
    ...operationRoutes,
    ...definitionRoutes,
    ...versionRoutes,
    ...runRoutes,
    ...runActionRoutes,
    ...runLogRoutes,
    ...inboxRoutes,
    ...registryRoutes,
    ...scheduleRoutes,
    ...webhookRoutes,
    ...deliveryRoutes,
    ...incomingRoutes,
    route({
      method: 'get',
      path: '/openapi.json',
      operation: 'getOpenApi',
      summary: 'This interface as an OpenAPI document',
      tag: 'Operations',
      scope: null,
      responses: { 200: { description: 'The document.', content: 'application/json' } },
      handle: (_request, { version }) => ({ body: openApiDocument(v1, version) }),
    }),
  ],
};
