import { z } from 'zod';
import { callFields } from '../routes/call-fields.js';
import { json, time } from '../routes/schemas.js';
import { type Delivery, type Webhook, webhookEvents } from './webhook.js';

/** How an incoming webhook calls its workflow. */
export const webhookCall = z.strictObject({
  body_as: z
    .enum(['input', 'inputs'])
    .optional()
    .describe(
      'Whether the body is the input or the named inputs. Default: what the form of the workflow has.',
    ),
  priority: callFields.priority,
  skip_approval: callFields.skip_approval,
});

/** A webhook as responses show it: without its secrets. */
export const webhookSchema = z
  .object({
    webhook_id: z.string(),
    name: z.string(),
    direction: z.enum(['in', 'out']),
    url: z.string().nullable(),
    path: z.string().nullable().describe('Incoming: where it is called.'),
    workflow: z.string().nullable(),
    events: z.array(z.enum(webhookEvents)),
    call: webhookCall,
    enabled: z.boolean(),
    created_at: time,
    updated_at: time,
  })
  .meta({ id: 'Webhook' });

/** The same when it has a new secret, which is shown this once. */
export const webhookWithSecret = webhookSchema
  .extend({ secret: z.string().describe('Shown this once.') })
  .meta({ id: 'WebhookWithSecret' });

/** A message to an outgoing webhook, however far it came. */
export const deliverySchema = z
  .object({
    delivery_id: z.string(),
    webhook_id: z.string(),
    run_id: z.string().nullable(),
    event: z.string(),
    status: z.enum(['pending', 'delivered', 'dead']),
    attempts: z.int(),
    next_at: time.nullable().describe('When it is sent next.'),
    last_error: z.string().nullable(),
    body: json,
    created_at: time,
    updated_at: time,
  })
  .meta({ id: 'WebhookDelivery' });

/** Shows a webhook by its schema. */
export function webhookView(webhook: Webhook): z.infer<typeof webhookSchema> {
  return {
    webhook_id: webhook.id,
    name: webhook.name,
    direction: webhook.direction,
    url: webhook.url,
    path: webhook.direction === 'in' ? `/v1/hooks/${webhook.id}` : null,
    workflow: webhook.workflow,
    events: [...webhook.events],
    call: webhook.call,
    enabled: webhook.enabled,
    created_at: webhook.createdAt,
    updated_at: webhook.updatedAt,
  };
}

/** Shows a message by its schema. */
export function deliveryView(delivery: Delivery): z.infer<typeof deliverySchema> {
  return {
    delivery_id: delivery.id,
    webhook_id: delivery.webhookId,
    run_id: delivery.runId,
    event: delivery.event,
    status: delivery.status,
    attempts: delivery.attempts,
    next_at: delivery.status === 'pending' ? new Date(delivery.nextAt).toISOString() : null,
    last_error: delivery.lastError,
    body: JSON.parse(delivery.body),
    created_at: delivery.createdAt,
    updated_at: delivery.updatedAt,
  };
}
