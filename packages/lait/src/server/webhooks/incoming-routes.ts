import { createHash } from 'node:crypto';
import { z } from 'zod';
import { dialectOf } from '../../dialects/index.js';
import { isLaitError } from '../../errors/lait-error.js';
import { isObject, type JsonObject, type JsonValue } from '../../values/value.js';
import { notFound, unprocessable } from '../http/problem.js';
import { parseJson } from '../http/read-body.js';
import { type Route, route } from '../http/route.js';
import { id, runStatus } from '../routes/schemas.js';
import type { ServerContext } from '../server-context.js';
import { verifiedId } from './signature.js';
import type { Webhook } from './webhook.js';
import { webhookServiceOf } from './webhook-service.js';

/** Where incoming webhooks are called. */
export const incomingRoutes: readonly Route[] = [
  route({
    method: 'post',
    path: '/hooks/{webhook_id}',
    operation: 'callWebhook',
    summary: 'Start a run as an incoming webhook',
    description:
      'Needs no token: the message is signed with the secret of the webhook, as the Standard Webhooks specification says (`webhook-id`, `webhook-timestamp`, `webhook-signature`). A message with an id that was taken before starts no other run.',
    tag: 'Webhooks',
    scope: null,
    parameters: z.object({ webhook_id: id }),
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

/** A message starts one run, however often it is sent. */
async function startRun(hook: string, text: string, headers: Headers, server: ServerContext) {
  const webhook = await webhookServiceOf(server).find(hook);
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
