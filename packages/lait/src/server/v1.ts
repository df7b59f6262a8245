import type { RouteGroup } from './http/route.js';
import { runRoutes } from './routes/run-routes.js';

/** The server's own interface. */
export const v1: RouteGroup = { prefix: '/v1', routes: [...runRoutes] };
