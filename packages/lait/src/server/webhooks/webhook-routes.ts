import { z } from 'zod';
import { requireConsent } from '../access/require-consent.js';
import { unprocessable } from '../http/problem.js';
import { type Route, route } from '../http/route.js';
import { id } from '../routes/schemas.js';
import { DeliveryQueue } from './delivery-queue.js';
import { isSecret } from './signature.js';
import { type WebhookCall, webhookEvents } from './webhook.js';
import { webhookServiceOf } from './webhook-service.js';
import { webhookCall, webhookSchema, webhookView, webhookWithSecret } from './webhook-view.js';

const tag = 'Webhooks';
const webhookId = z.object({ webhook_id: id });

const secret = z
  .string()
  .max(200)
  .refine(isSecret, 'must be whsec_ and 24 to 64 bytes in Base64')
  .describe('`whsec_` and 24 to 64 bytes in Base64. Default: a new random one.');
const fields = {
  name: z.string().max(200),
  url: z.url().max(2000).describe('Of outgoing ones: where messages are sent.'),
  workflow: id.describe('Incoming: what is started. Outgoing: whose events; absent: all.'),
  events: z.array(z.enum(webhookEvents)).max(10).describe('Outgoing: what is told. Default: everything.'),
  call: webhookCall.describe('Incoming: how the workflow is called.'),
  enabled: z.boolean(),
};

const newWebhook = z.strictObject({
  direction: z.enum(['in', 'out']).describe('`in` starts runs, `out` is told of events.'),
  name: fields.name.optional(),
  url: fields.url.optional(),
  workflow: fields.workflow.optional(),
  events: fields.events.optional(),
  call: fields.call.optional(),
  enabled: fields.enabled.optional(),
  secret: secret.optional(),
});

const answersWebhook = { description: 'The webhook.', schema: webhookSchema };

/** Webhooks as people keep them. */
export const webhookRoutes: readonly Route[] = [
  route({
    method: 'get',
    path: '/webhooks',
    operation: 'listWebhooks',
    summary: 'List webhooks, the newest first',
    tag,
    scope: 'read',
    responses: { 200: { description: 'All of them.', schema: z.object({ items: z.array(webhookSchema) }) } },
    handle: async (_request, server) => ({
      body: { items: (await webhookServiceOf(server).list()).map(webhookView) },
    }),
  }),
  route({
    method: 'post',
    path: '/webhooks',
    operation: 'createWebhook',
    summary: 'Start runs from elsewhere, or be told of events',
    tag,
    scope: 'write',
    body: newWebhook,
    responses: { 201: { description: 'The webhook with its secret.', schema: webhookWithSecret } },
    async handle({ body, actor }, server) {
      requireConsent(actor, body.call?.skip_approval);
      const isOut = body.direction === 'out';
      const created = await webhookServiceOf(server).create(
        {
          direction: body.direction,
          name: body.name ?? '',
          url: body.url ?? null,
          workflow: body.workflow ?? null,
          events: body.events ?? (isOut ? webhookEvents : []),
          call: callOf(body.call),
          enabled: body.enabled ?? true,
        },
        body.secret,
      );
      const { webhook } = created;
      await server.audit.record(actor, 'webhook.created', webhook.id, { direction: webhook.direction });
      return { status: 201, body: { ...webhookView(webhook), secret: created.secret } };
    },
  }),
  route({
    method: 'get',
    path: '/webhooks/{webhook_id}',
    operation: 'getWebhook',
    summary: 'Look at a webhook',
    tag,
    scope: 'read',
    parameters: webhookId,
    responses: { 200: answersWebhook },
    handle: async ({ path }, server) => ({
      body: webhookView(await webhookServiceOf(server).get(path.webhook_id)),
    }),
  }),
  route({
    method: 'patch',
    path: '/webhooks/{webhook_id}',
    operation: 'changeWebhook',
    summary: 'Change a webhook, or switch it on or off',
    tag,
    scope: 'write',
    parameters: webhookId,
    body: newWebhook.omit({ direction: true, secret: true }).partial(),
    responses: { 200: answersWebhook },
    async handle({ path, body, actor }, server) {
      requireConsent(actor, body.call?.skip_approval);
      const changed = await webhookServiceOf(server).change(path.webhook_id, {
        ...(body.name !== undefined && { name: body.name }),
        ...(body.url !== undefined && { url: body.url }),
        ...(body.workflow !== undefined && { workflow: body.workflow }),
        ...(body.events !== undefined && { events: body.events }),
        ...(body.call !== undefined && { call: callOf(body.call) }),
        ...(body.enabled !== undefined && { enabled: body.enabled }),
      });
      await server.audit.record(actor, 'webhook.changed', changed.id, { enabled: changed.enabled });
      return { body: webhookView(changed) };
    },
  }),
  route({
    method: 'delete',
    path: '/webhooks/{webhook_id}',
    operation: 'deleteWebhook',
    summary: 'Remove a webhook with its messages',
    tag,
    scope: 'write',
    parameters: webhookId,
    responses: { 204: { description: 'Removed.' } },
    async handle({ path, actor }, server) {
      await webhookServiceOf(server).remove(path.webhook_id);
      await server.audit.record(actor, 'webhook.removed', path.webhook_id);
      return { status: 204 };
    },
  }),
  route({
    method: 'post',
    path: '/webhooks/{webhook_id}/rotate',
    operation: 'rotateWebhookSecret',
    summary: 'Replace the secret of a webhook',
    description: 'The old one counts for another day.',
    tag,
    scope: 'write',
    parameters: webhookId,
    body: z.strictObject({ secret: secret.optional() }).default({}),
    responses: { 200: { description: 'The webhook with its new secret.', schema: webhookWithSecret } },
    async handle({ path, body, actor }, server) {
      const rotated = await webhookServiceOf(server).rotate(path.webhook_id, body.secret);
      await server.audit.record(actor, 'webhook.rotated', path.webhook_id);
      return { body: { ...webhookView(rotated.webhook), secret: rotated.secret } };
    },
  }),
  route({
    method: 'post',
    path: '/webhooks/{webhook_id}/test',
    operation: 'testWebhook',
    summary: 'Send a message that shows whether an outgoing webhook works',
    tag,
    scope: 'write',
    parameters: webhookId,
    responses: {
      202: { description: 'The message is sent soon.', schema: z.object({ delivery_id: z.string() }) },
    },
    async handle({ path }, server) {
      const webhook = await webhookServiceOf(server).get(path.webhook_id);
      if (webhook.direction !== 'out')
        throw unprocessable('webhook_incoming', 'an incoming webhook is called by others; it sends nothing');
      return { body: { delivery_id: await new DeliveryQueue(server, Date.now).test(webhook) } };
    },
  }),
];

function callOf(given: z.infer<typeof webhookCall> = {}): WebhookCall {
  return Object.fromEntries(Object.entries(given).filter(([, value]) => value !== undefined));
}
