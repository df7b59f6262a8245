import { z } from 'zod';
import { scopes } from '../access/scopes.js';
import { notFound } from '../http/problem.js';
import { type Route, route } from '../http/route.js';
import { count, id, jsonObject, time } from './schemas.js';

const tag = 'Operations';
const token = z
  .object({
    id: z.string(),
    name: z.string(),
    scopes: z.array(z.enum(scopes)),
    created_at: time,
    expires_at: time.nullable(),
    last_used_at: time.nullable(),
    revoked_at: time.nullable(),
  })
  .meta({ id: 'Token' });

export const operationRoutes: readonly Route[] = [
  route({
    method: 'get',
    path: '/health',
    operation: 'getHealth',
    summary: 'Whether the process is alive',
    tag,
    scope: null,
    responses: {
      200: { description: 'It is.', schema: z.object({ status: z.literal('ok'), version: z.string() }) },
    },
    handle: (_request, { version }) => ({ body: { status: 'ok', version } }),
  }),
  route({
    method: 'get',
    path: '/ready',
    operation: 'getReadiness',
    summary: 'Whether requests can be served: the database answers',
    tag,
    scope: null,
    responses: {
      200: { description: 'They can.', schema: z.object({ status: z.enum(['ready', 'unavailable']) }) },
      503: { description: 'The database does not answer.' },
    },
    async handle(_request, server) {
      const ready = await server.ready();
      return { status: ready ? 200 : 503, body: { status: ready ? 'ready' : 'unavailable' } };
    },
  }),
  route({
    method: 'get',
    path: '/metrics',
    operation: 'getMetrics',
    summary: 'Metrics for Prometheus',
    tag,
    scope: 'admin',
    responses: { 200: { description: 'Text in the format of Prometheus.', content: 'text/plain' } },
    handle: async (_request, { metrics }) =>
      new Response(await metrics.text(), { headers: { 'content-type': metrics.contentType } }),
  }),
  route({
    method: 'get',
    path: '/tokens',
    operation: 'listTokens',
    summary: 'List tokens; they themselves cannot be read again',
    tag,
    scope: 'admin',
    responses: {
      200: { description: 'Tokens, the oldest first.', schema: z.object({ items: z.array(token) }) },
    },
    handle: async (_request, { tokens }) => ({ body: { items: await tokens.list() } }),
  }),
  route({
    method: 'post',
    path: '/tokens',
    operation: 'createToken',
    summary: 'Make a token; it is shown this once',
    tag,
    scope: 'admin',
    body: z.strictObject({
      name: z.string().min(1).max(200),
      scopes: z.array(z.enum(scopes)).min(1),
      expires_at: time.optional(),
    }),
    responses: {
      201: {
        description: 'The token.',
        schema: token.extend({ token: z.string() }).meta({ id: 'NewToken' }),
      },
    },
    async handle({ body, actor }, { tokens, audit }) {
      const { token: secret, view } = await tokens.create({
        name: body.name,
        scopes: [...new Set(body.scopes)],
        ...(body.expires_at !== undefined && { expiresAt: new Date(body.expires_at).toISOString() }),
      });
      await audit.record(actor, 'token.created', view.id, { name: view.name, scopes: [...view.scopes] });
      return { status: 201, body: { ...view, token: secret } };
    },
  }),
  route({
    method: 'delete',
    path: '/tokens/{token_id}',
    operation: 'revokeToken',
    summary: 'Revoke a token',
    tag,
    scope: 'admin',
    parameters: z.object({ token_id: id }),
    responses: { 204: { description: 'Revoked.' } },
    async handle({ path, actor }, { tokens, audit }) {
      if (!(await tokens.revoke(path.token_id))) throw notFound('token', path.token_id);
      await audit.record(actor, 'token.revoked', path.token_id);
      return { status: 204 };
    },
  }),
  route({
    method: 'get',
    path: '/audit',
    operation: 'listAuditEvents',
    summary: 'Who did what, the newest first',
    tag,
    scope: 'admin',
    query: z.strictObject({ limit: count(100, 1000), before: z.string().max(100).optional() }),
    responses: {
      200: {
        description: 'Events; `before` with the last id gives the next page.',
        schema: z.object({
          items: z.array(
            z
              .object({
                id: z.string(),
                at: time,
                actor: z.string(),
                action: z.string(),
                subject: z.string().nullable(),
                details: jsonObject,
              })
              .meta({ id: 'AuditEvent' }),
          ),
        }),
      },
    },
    handle: async ({ query }, { audit }) => ({
      body: {
        items: await audit.list({
          limit: query.limit,
          ...(query.before !== undefined && { before: query.before }),
        }),
      },
    }),
  }),
];
