import { z } from 'zod';
import { decodeCursor, pageOf } from '../http/cursor.js';
import { type Route, route } from '../http/route.js';
import { count, cursor, id } from '../routes/schemas.js';
import { webhookServiceOf } from './webhook-service.js';
import { deliverySchema, deliveryView } from './webhook-view.js';

const tag = 'Webhooks';

/** Messages to outgoing webhooks. */
export const deliveryRoutes: readonly Route[] = [
  route({
    method: 'get',
    path: '/webhook-deliveries',
    operation: 'listWebhookDeliveries',
    summary: 'List messages to webhooks, the newest first',
    description: 'With `status=dead`: those that were given up.',
    tag,
    scope: 'read',
    query: z.strictObject({
      webhook: id.optional(),
      status: z.enum(['pending', 'delivered', 'dead']).optional(),
      limit: count(50, 500),
      cursor: cursor.optional(),
    }),
    responses: {
      200: {
        description: 'A page of messages.',
        schema: z.object({ items: z.array(deliverySchema), next_cursor: z.string().nullable() }),
      },
    },
    async handle({ query }, server) {
      const after = query.cursor === undefined ? undefined : decodeCursor(query.cursor, 2);
      const found = await webhookServiceOf(server).deliveries({
        ...(query.webhook !== undefined && { webhookId: query.webhook }),
        ...(query.status !== undefined && { status: query.status }),
        ...(after !== undefined && { before: { createdAt: after[0]!, id: after[1]! } }),
        limit: query.limit + 1,
      });
      const { page, next_cursor } = pageOf(found, query.limit, (one) => [one.createdAt, one.id]);
      return { body: { items: page.map(deliveryView), next_cursor } };
    },
  }),
  route({
    method: 'post',
    path: '/webhook-deliveries/{delivery_id}/redeliver',
    operation: 'redeliverWebhook',
    summary: 'Send a message again',
    tag,
    scope: 'write',
    parameters: z.object({ delivery_id: id }),
    responses: { 202: { description: 'It is sent soon.', schema: deliverySchema } },
    async handle({ path, actor }, server) {
      const delivery = await webhookServiceOf(server).redeliver(path.delivery_id);
      await server.audit.record(actor, 'webhook.redelivered', delivery.id);
      return { body: deliveryView(delivery) };
    },
  }),
];
