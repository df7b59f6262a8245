import { createHash } from 'node:crypto';
import { z } from 'zod';
import { dialectOf } from '../../dialects/index.js';
import { isLaitError } from '../../errors/lait-error.js';
import type { JsonObject, JsonValue } from '../../values/value.js';
import { isObject } from '../../values/value.js';
import { requireConsent } from '../access/require-consent.js';
import { decodeCursor, encodeCursor } from '../http/cursor.js';
import { notFound, unprocessable } from '../http/problem.js';
import { parseJson } from '../http/read-body.js';
import { type Route, route } from '../http/route.js';
import { count, cursor, id, json, runStatus, time } from '../routes/schemas.js';
import type { ServerContext } from '../server-context.js';
import { DeliveryQueue } from './delivery-queue.js';
import { isSecret, verifiedId } from './signature.js';
import { type Delivery, type Webhook, type WebhookCall, webhookEvents } from './webhook.js';
import { WebhookService } from './webhook-service.js';

const tag = 'Webhooks';
const webhookId = z.object({ webhook_id: id });

const secret = z
  .string()
  .max(200)
  .refine(isSecret, 'must be whsec_ and 24 to 64 bytes in Base64')
  .describe('`whsec_` and 24 to 64 bytes in Base64. Default: a new random one.');
const call = z.strictObject({
  body_as: z
    .enum(['input', 'inputs'])
    .optional()
    .describe(
      'Whether the body is the input or the named inputs. Default: what the form of the workflow has.',
    ),
  priority: z.int().min(-1000).max(1000).optional(),
  skip_approval: z
    .boolean()
    .optional()
    .describe('Runs begin without a person’s consent; needs the scope `answer`.'),
});

const fields = {
  name: z.string().max(200),
  url: z.url().max(2000).describe('Of outgoing ones: where messages are sent.'),
  workflow: id.describe('Incoming: what is started. Outgoing: whose events; absent: all.'),
  events: z.array(z.enum(webhookEvents)).max(10).describe('Outgoing: what is told. Default: everything.'),
  call: call.describe('Incoming: how the workflow is called.'),
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

const webhookSchema = z
  .object({
    webhook_id: z.string(),
    name: z.string(),
    direction: z.enum(['in', 'out']),
    url: z.string().nullable(),
    path: z.string().nullable().describe('Incoming: where it is called.'),
    workflow: z.string().nullable(),
    events: z.array(z.enum(webhookEvents)),
    call,
    enabled: z.boolean(),
    created_at: time,
    updated_at: time,
  })
  .meta({ id: 'Webhook' });

const withSecret = webhookSchema
  .extend({ secret: z.string().describe('Shown this once.') })
  .meta({ id: 'WebhookWithSecret' });

const deliverySchema = z
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

const answersWebhook = { description: 'The webhook.', schema: webhookSchema };

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
      body: { items: (await serviceOf(server).list()).map(webhookView) },
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
    responses: { 201: { description: 'The webhook with its secret.', schema: withSecret } },
    async handle({ body, actor }, server) {
      requireConsent(actor, body.call?.skip_approval);
      const isOut = body.direction === 'out';
      const created = await serviceOf(server).create(
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
    handle: async ({ path }, server) => ({ body: webhookView(await serviceOf(server).get(path.webhook_id)) }),
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
      const changed = await serviceOf(server).change(path.webhook_id, {
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
      await serviceOf(server).remove(path.webhook_id);
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
    responses: { 200: { description: 'The webhook with its new secret.', schema: withSecret } },
    async handle({ path, body, actor }, server) {
      const rotated = await serviceOf(server).rotate(path.webhook_id, body.secret);
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
      const webhook = await serviceOf(server).get(path.webhook_id);
      if (webhook.direction !== 'out')
        throw unprocessable('webhook_incoming', 'an incoming webhook is called by others; it sends nothing');
      return { body: { delivery_id: await new DeliveryQueue(server, Date.now).test(webhook) } };
    },
  }),
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
      const found = await serviceOf(server).deliveries({
        ...(query.webhook !== undefined && { webhookId: query.webhook }),
        ...(query.status !== undefined && { status: query.status }),
        ...(after !== undefined && { before: { createdAt: after[0]!, id: after[1]! } }),
        limit: query.limit + 1,
      });
      const page = found.slice(0, query.limit);
      const last = found.length > query.limit ? page.at(-1) : undefined;
      return {
        body: {
          items: page.map(deliveryView),
          next_cursor: last === undefined ? null : encodeCursor([last.createdAt, last.id]),
        },
      };
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
      const delivery = await serviceOf(server).redeliver(path.delivery_id);
      await server.audit.record(actor, 'webhook.redelivered', delivery.id);
      return { body: deliveryView(delivery) };
    },
  }),
  route({
    method: 'post',
    path: '/hooks/{webhook_id}',
    operation: 'callWebhook',
    summary: 'Start a run as an incoming webhook',
    description:
      'Needs no token: the message is signed with the secret of the webhook, as the Standard Webhooks specification says (`webhook-id`, `webhook-timestamp`, `webhook-signature`). A message with an id that was taken before starts no other run.',
    tag,
    scope: null,
    parameters: webhookId,
    body: z.string(),
    bodyTypes: ['application/json'],
    responses: {
      201: {
        description: 'A run was started.',
        schema: z.object({ run_id: z.string(), status: runStatus }).meta({ id: 'StartedRun' }),
      },
      200: { description: 'The run that the message started before.' },
    },
    handle: ({ path, body, headers }, server) => startRun(path.webhook_id, body, headers, server),
  }),
];

async function startRun(hook: string, text: string, headers: Headers, server: ServerContext) {
  const webhook = await serviceOf(server).find(hook);
  if (webhook?.direction !== 'in' || !webhook.enabled) throw notFound('webhook', hook);
  const now = Date.now();
  const message = verifiedId(headers, text, webhook.secrets, now);
  const known = await server.database.read((queries) =>
    queries
      .selectFrom('webhook_receipts')
      .select('run_id')
      .where('webhook_id', '=', webhook.id)
      .where('message_id', '=', message)
      .executeTakeFirst(),
  );
  // The id follows from the message: also a receipt that was lost in a crash lets it start one run only.
  const digest = createHash('sha256').update(`${webhook.id}\0${message}`).digest('hex');
  const runId = known?.run_id ?? `wrun_${digest.slice(0, 32)}`;
  if (known !== undefined) return { status: 200, body: await started(runId, server) };
  let status = 201;
  try {
    await server.runs.create(
      { ...(await callWith(webhook, parseJson(text) as JsonValue, server)), runId },
      { id: webhook.id, name: webhook.name, scopes: [] },
    );
  } catch (error) {
    if (!isLaitError(error) || error.code !== 'run_exists') throw error;
    status = 200;
  }
  await server.database.write((queries) =>
    queries
      .insertInto('webhook_receipts')
      .values({ webhook_id: webhook.id, message_id: message, received_at: now, run_id: runId })
      .onConflict((conflict) => conflict.columns(['webhook_id', 'message_id']).doNothing())
      .execute(),
  );
  return { status, body: await started(runId, server) };
}

async function started(run_id: string, { runs }: ServerContext) {
  try {
    return { run_id, status: (await runs.get(run_id)).status };
  } catch (error) {
    if (isLaitError(error) && error.code === 'run_not_found') throw notFound('run', run_id);
    throw error;
  }
}

async function callWith(
  { workflow, call: given, id: hook }: Webhook,
  body: JsonValue,
  server: ServerContext,
) {
  const { plan } = await server.catalog.find(workflow!);
  const {
    body_as = dialectOf(plan.form).takesNamedInputs ? 'inputs' : 'input',
    priority,
    skip_approval,
  } = given;
  if (body_as === 'inputs' && !isObject(body))
    throw unprocessable('body_invalid', 'the body must be an object: its members are the named inputs');
  return {
    workflow: workflow!,
    ...(body_as === 'inputs' ? { inputs: body as JsonObject } : { input: body }),
    ...(priority !== undefined && { priority }),
    ...(skip_approval !== undefined && { skipApproval: skip_approval }),
    events: [{ event_type: 'run_webhook_called', payload: { webhook_id: hook } }],
  };
}

function serviceOf({ database, catalog, settings }: ServerContext): WebhookService {
  return new WebhookService({ database, catalog, privateHosts: settings.webhookPrivateHosts, now: Date.now });
}

function callOf(given: z.infer<typeof call> = {}): WebhookCall {
  return Object.fromEntries(Object.entries(given).filter(([, value]) => value !== undefined));
}

function webhookView(webhook: Webhook): z.infer<typeof webhookSchema> {
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

function deliveryView(delivery: Delivery): z.infer<typeof deliverySchema> {
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
