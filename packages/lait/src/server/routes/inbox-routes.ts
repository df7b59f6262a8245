import { z } from 'zod';
import type { JsonValue } from '../../values/value.js';
import { notFound } from '../http/problem.js';
import { type Route, route } from '../http/route.js';
import { questionSchema, questionView, runSchema, runView } from './run-view.js';
import { count, form, id, json, listOf, runStatus, time } from './schemas.js';

const tag = 'Inbox';

export const inboxRoutes: readonly Route[] = [
  route({
    method: 'get',
    path: '/inbox',
    operation: 'listInbox',
    summary: 'Everything that waits for somebody, of all forms, the oldest first',
    description: 'Questions and decisions, and runs that wait for approval.',
    tag,
    scope: 'read',
    query: z.strictObject({
      form: listOf(form).optional(),
      workflow: id.optional(),
      limit: count(100, 500),
      offset: z.coerce.number().int().min(0).max(1_000_000).default(0),
    }),
    responses: {
      200: {
        description: 'What waits.',
        schema: z.object({
          questions: z.array(
            questionSchema
              .extend({ run_id: z.string(), workflow: z.string(), form, status: runStatus })
              .meta({ id: 'InboxQuestion' }),
          ),
          approvals: z.array(
            z
              .object({ run_id: z.string(), workflow: z.string(), form, inputs: json, created_at: time })
              .meta({ id: 'InboxApproval' }),
          ),
        }),
      },
    },
    async handle({ query }, server) {
      const { limit, offset } = query;
      const about = {
        ...(query.form !== undefined && { forms: query.form }),
        ...(query.workflow !== undefined && { workflow: query.workflow }),
      };
      const [questions, approvals] = await Promise.all([
        server.runs.inbox({ ...about, limit, offset }),
        server.runs.list({ ...about, statuses: ['waiting_approval'], order: 'oldest', limit, offset }),
      ]);
      return {
        body: {
          questions: questions.map(({ run_id, workflow, form, status, ...question }) => ({
            ...questionView(question),
            run_id,
            workflow,
            form,
            status,
          })),
          approvals: approvals.map(({ run_id, definition, inputs, created_at }) => ({
            run_id,
            workflow: definition.id,
            form: definition.form,
            inputs,
            created_at,
          })),
        },
      };
    },
  }),
  route({
    method: 'post',
    path: '/inbox/{question_id}/answer',
    operation: 'answerQuestion',
    summary: 'Answer a question by its own id',
    tag,
    scope: 'answer',
    parameters: z.object({ question_id: id }),
    body: z.strictObject({ answer: json }),
    responses: { 200: { description: 'The run as it stands now.', schema: runSchema } },
    async handle({ path, body, actor }, server) {
      const [question] = await server.runs.inbox({ hitlRunId: path.question_id, limit: 1 });
      if (question === undefined) throw notFound('question', path.question_id);
      const answer = (body.answer ?? null) as JsonValue;
      return { body: runView(await server.runs.answer(question.run_id, answer, question.address, actor)) };
    },
  }),
];
