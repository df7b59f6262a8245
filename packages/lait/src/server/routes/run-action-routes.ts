import { z } from 'zod';
import type { JsonObject, JsonValue } from '../../values/value.js';
import { requireConsent } from '../access/require-consent.js';
import type { Actor } from '../access/scopes.js';
import { type Route, route } from '../http/route.js';
import type { ServerContext } from '../server-context.js';
import { answersRun, runPath, runSchema, runView } from './run-view.js';
import { id, json, jsonObject } from './schemas.js';

const tag = 'Runs';

/** What people and programs decide of a run that is there. */
export const runActionRoutes: readonly Route[] = [
  action(
    'cancel',
    'run',
    'Ask a run to end',
    'What is under way is stopped and awaited: the run is then `cancelling`.',
    (runId, actor, server) => server.runs.cancel(runId, actor),
  ),
  action(
    'resume',
    'run',
    'Let an interrupted run go on',
    'What is recorded is not repeated.',
    (runId, actor, server) => server.runs.resume(runId, actor),
  ),
  action('approve', 'answer', 'Consent to everything that a run will do', undefined, (runId, actor, server) =>
    server.runs.approve(runId, actor),
  ),
  route({
    method: 'post',
    path: '/runs/{run_id}/rerun',
    operation: 'rerunRun',
    summary: 'Repeat a run that has ended as a new one',
    description:
      'From the same definition, with its inputs or others. `from` names a step of the top level: what happened before it is reused.',
    tag,
    scope: 'run',
    parameters: runPath,
    body: z
      .strictObject({
        inputs: json.optional().describe('In place of the inputs of the run.'),
        changed_inputs: jsonObject.optional().describe('Single inputs in place of those.'),
        from: id.optional().describe('Id of a step of the top level, or its path, e.g. `steps[2]`.'),
        skip_approval: z.boolean().optional(),
      })
      .default({}),
    responses: { 201: { description: 'The new run.', schema: runSchema } },
    async handle({ path, body, actor }, server) {
      requireConsent(actor, body.skip_approval);
      const record = await server.runs.rerun(
        path.run_id,
        {
          ...(body.inputs !== undefined && { inputs: body.inputs as JsonValue }),
          ...(body.changed_inputs !== undefined && { changedInputs: body.changed_inputs as JsonObject }),
          ...(body.from !== undefined && { from: body.from }),
          ...(body.skip_approval !== undefined && { skipApproval: body.skip_approval }),
        },
        actor,
      );
      return { status: 201, body: runView(record) };
    },
  }),
  route({
    method: 'post',
    path: '/runs/{run_id}/answer',
    operation: 'answerRun',
    summary: 'Answer an open question of a run',
    tag,
    scope: 'answer',
    parameters: runPath,
    body: z.strictObject({
      answer: json,
      question: id.optional().describe('Address or id of the question; not needed when there is only one.'),
    }),
    responses: { 200: answersRun },
    handle: async ({ path, body, actor }, server) => ({
      body: runView(
        await server.runs.answer(path.run_id, (body.answer ?? null) as JsonValue, body.question, actor),
      ),
    }),
  }),
  route({
    method: 'post',
    path: '/runs/{run_id}/attention',
    operation: 'decideRun',
    summary: 'Decide about a call whose outcome is not known',
    tag,
    scope: 'answer',
    parameters: runPath,
    body: z.strictObject({
      decision: z.enum(['adopt', 'fail', 'reexecute', 'interrupt']),
      question: id.optional(),
      output: json.optional().describe('The result to adopt when none is known.'),
      reason: z.string().max(2000).optional(),
    }),
    responses: { 200: answersRun },
    async handle({ path, body, actor }, server) {
      const { decision, question: address, output, reason } = body;
      const options = {
        ...(address !== undefined && { address }),
        ...(output !== undefined && { output: output as JsonValue }),
        ...(reason !== undefined && { reason }),
      };
      return { body: runView(await server.runs.decide(path.run_id, decision, options, actor)) };
    },
  }),
];

function action(
  name: 'cancel' | 'resume' | 'approve',
  scope: 'run' | 'answer',
  summary: string,
  description: string | undefined,
  act: (runId: string, actor: Actor, server: ServerContext) => Promise<Parameters<typeof runView>[0]>,
): Route {
  return route({
    method: 'post',
    path: `/runs/{run_id}/${name}`,
    operation: `${name}Run`,
    summary,
    ...(description !== undefined && { description }),
    tag,
    scope,
    parameters: runPath,
    responses: { 200: answersRun },
    handle: async ({ path, actor }, server) => ({ body: runView(await act(path.run_id, actor, server)) }),
  });
}
