import { z } from 'zod';
import { type Route, route } from '../http/route.js';
import { runEventStream } from '../http/run-event-stream.js';
import { eventSchema, eventView, runPath } from './run-view.js';
import { count, flag } from './schemas.js';

const tag = 'Runs';

/** The log of a run, read and followed. */
export const runLogRoutes: readonly Route[] = [
  route({
    method: 'get',
    path: '/runs/{run_id}/log',
    operation: 'getRunLog',
    summary: 'Read the log of a run',
    tag,
    scope: 'read',
    parameters: runPath,
    query: z.strictObject({
      after: z.coerce
        .number()
        .int()
        .min(0)
        .max(2_147_483_647)
        .default(0)
        .describe('Number of the last entry seen.'),
      limit: count(200, 1000),
    }),
    responses: {
      200: { description: 'Entries in order.', schema: z.object({ items: z.array(eventSchema) }) },
    },
    handle: async ({ path, query }, server) => ({
      body: { items: (await server.runs.events(path.run_id, query)).map(eventView) },
    }),
  }),
  route({
    method: 'get',
    path: '/runs/{run_id}/events',
    operation: 'followRun',
    summary: 'Follow the log of a run',
    description:
      'Server-sent events: `id` is the number of the entry, `event` its type, `data` the entry. With `Last-Event-ID` (or `?last_event_id=`) the stream goes on behind that entry. Comments are heartbeats. The stream ends with the run; with `until=parked` also when it waits for somebody. With `tokens=true` it also tells what models write, while they write it, when this process works on the run: events `model.token` (`{type, node_id, activation_id, address, label, request_name, text, reasoning}`) without an `id`, which no log keeps; `model.tokens_skipped` (`{type, characters}`) says how much was left out because the client was slow.',
    tag,
    scope: 'read',
    parameters: runPath,
    query: z.strictObject({
      last_event_id: z.string().max(20).optional(),
      until: z.enum(['ended', 'parked']).optional(),
      tokens: flag.optional().describe('Also what models write, while they write it. Default false.'),
    }),
    responses: { 200: { description: 'The stream.', content: 'text/event-stream' } },
    handle: ({ query, ...request }, server) =>
      runEventStream(request, server, {
        runId: request.path.run_id,
        until: query.until ?? 'ended',
        tokens: query.tokens === true,
      }),
  }),
];
