import { z } from 'zod';
import type { RunRecord } from '../../../runs/run-record.js';
import type { JsonObject, JsonValue } from '../../../values/value.js';
import type { Actor } from '../../access/scopes.js';
import { type Route, route } from '../../http/route.js';
import { runEventStream } from '../../http/run-event-stream.js';
import { id, json, jsonObject } from '../../routes/schemas.js';
import type { ServerContext } from '../../server-context.js';
import { GraphStore } from './graph-store.js';
import { eventFrame, eventView, nodeView, runView } from './graph-view.js';

const tag = 'Runs';
const runId = z.object({ run_id: id });
const answered = { 200: { description: 'The run as it stands now.' } };
const since = z.object({ last_event_id: z.string().max(20).optional() });

export const runRoutes: readonly Route[] = [
  route({
    method: 'get',
    path: '/runs/{run_id}',
    operation: 'getGraphRun',
    summary: 'Look at a run, its nodes and its log',
    tag,
    scope: 'read',
    parameters: runId,
    responses: answered,
    async handle({ path }, server) {
      const store = new GraphStore(server);
      const record = await store.run(path.run_id);
      const { nodes, events } = await server.runs.view(path.run_id);
      return {
        body: {
          ...runView(record, await store.versionsOf(record)),
          nodes: nodes.map((row) => nodeView(row, path.run_id)),
          events: events.map(eventView),
        },
      };
    },
  }),
  route({
    method: 'delete',
    path: '/runs/{run_id}',
    operation: 'deleteGraphRun',
    summary: 'Remove a run that has ended',
    tag,
    scope: 'write',
    parameters: runId,
    responses: { 200: { description: 'What was removed with it.' } },
    async handle({ path, actor }, server) {
      await new GraphStore(server).run(path.run_id);
      const { nodes, events } = await server.runs.view(path.run_id);
      await server.runs.remove(path.run_id, actor);
      const activations = new Set(nodes.flatMap(({ activation_id }) => activation_id ?? []));
      return {
        body: {
          success: true,
          run_id: path.run_id,
          events: events.length,
          nodes: nodes.length,
          activations: activations.size,
        },
      };
    },
  }),
  action(
    'approve',
    'answer',
    'Consent to everything that a run will do',
    undefined,
    (run, _body, actor, { runs }) => runs.approve(run, actor),
  ),
  action('cancel', 'run', 'Ask a run to end', undefined, (run, _body, actor, { runs }) =>
    runs.cancel(run, actor),
  ),
  action('resume', 'run', 'Let an interrupted run go on', undefined, (run, _body, actor, { runs }) =>
    runs.resume(run, actor),
  ),
  action(
    'attention',
    'answer',
    'Decide about a call whose outcome is not known',
    z.object({ decision: z.enum(['adopt', 'fail', 'reexecute', 'interrupt']), output: json.optional() }),
    (run, { decision, output }, actor, { runs }) =>
      runs.decide(run, decision, output === undefined ? {} : { output: output as JsonValue }, actor),
  ),
  action(
    'answer',
    'answer',
    'Answer the open question of a run',
    z.object({ answer: json, hitl_run_id: id.optional() }),
    (run, { answer, hitl_run_id }, actor, { runs }) =>
      runs.answer(run, (answer ?? null) as JsonValue, hitl_run_id, actor),
  ),
  route({
    method: 'post',
    path: '/runs/{run_id}/rerun',
    operation: 'rerunGraphRun',
    summary: 'Repeat a run that has ended as a new one',
    tag,
    scope: 'run',
    parameters: runId,
    body: z.object({ inputs: jsonObject.nullish() }).default({}),
    responses: { 201: { description: 'The new run.' } },
    async handle({ path, body, actor }, server) {
      const store = new GraphStore(server);
      await store.run(path.run_id);
      const inputs = body.inputs as JsonObject | null | undefined;
      const record = await server.runs.rerun(path.run_id, inputs == null ? {} : { inputs }, actor);
      return { body: runView(record, await store.versionsOf(record)) };
    },
  }),
  route({
    method: 'get',
    path: '/runs/{run_id}/events',
    operation: 'listGraphRunEvents',
    summary: 'The log of a run; as a stream for clients that accept one',
    tag,
    scope: 'read',
    parameters: runId,
    query: since,
    responses: { 200: { description: 'Entries in order.' } },
    async handle(request, server) {
      const { path, headers } = request;
      await new GraphStore(server).run(path.run_id);
      if (headers.get('accept')?.includes('text/event-stream') === true) return stream(request, server);
      const items = await server.runs.events(path.run_id);
      return { body: { items: items.map(eventView) } };
    },
  }),
  route({
    method: 'get',
    path: '/runs/{run_id}/stream',
    operation: 'streamGraphRunEvents',
    summary: 'The log of a run as it grows, until the run ends or waits',
    tag,
    scope: 'read',
    parameters: runId,
    query: since,
    responses: { 200: { description: 'The stream.', content: 'text/event-stream' } },
    async handle(request, server) {
      await new GraphStore(server).run(request.path.run_id);
      return stream(request, server);
    },
  }),
];

type StreamRequest = Parameters<typeof runEventStream>[0] & { path: { run_id: string } };

function stream(request: StreamRequest, server: ServerContext): Promise<Response> {
  return runEventStream(request, server, {
    runId: request.path.run_id,
    until: 'parked',
    frameOf: eventFrame,
  });
}

function action<Body>(
  name: string,
  scope: 'run' | 'answer',
  summary: string,
  body: z.ZodType<Body> | undefined,
  act: (runId: string, body: Body, actor: Actor, server: ServerContext) => Promise<RunRecord>,
): Route {
  return route({
    method: 'post',
    path: `/runs/{run_id}/${name}`,
    operation: `${name}GraphRun`,
    summary,
    tag,
    scope,
    parameters: runId,
    ...(body !== undefined && { body }),
    responses: answered,
    async handle({ path, body: given, actor }, server) {
      const store = new GraphStore(server);
      await store.run(path.run_id);
      const record = await act(path.run_id, given as Body, actor, server);
      return { body: runView(record, await store.versionsOf(record)) };
    },
  });
}
