import type { BackgroundService } from './background-service.js';
import { dynamicApi } from './compatible/dynamic/dynamic-api.js';
import { graphApi } from './compatible/graph/graph-api.js';
import type { RouteGroup } from './http/route.js';
import { Retention } from './operations/retention.js';
import { Scheduler } from './schedules/scheduler.js';
import type { ServerContext } from './server-context.js';
import { v1 } from './v1.js';
import { WebhookSender } from './webhooks/webhook-sender.js';

/** Everything that `lait serve` serves, and what works beside it. */
export function serverGroups(server: ServerContext): {
  groups: RouteGroup[];
  background: BackgroundService[];
} {
  return {
    groups: [v1, dynamicApi, graphApi],
    background: [new Retention(server), new Scheduler({ server }), new WebhookSender({ server })],
  };
}
