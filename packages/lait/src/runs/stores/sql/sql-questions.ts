import type { JsonValue } from '../../../values/value.js';
import type { RunQuestion, RunRecord } from '../../run-record.js';
import type { InboxQuestion, QuestionFilter } from '../../run-store.js';
import type { Queries } from '../database/database.js';
import { parts } from '../database/insert-new.js';
import type { ValueCodec } from '../value-codec.js';
import { largestLimit } from './sql-run-query.js';
import { columnText } from './sql-run-rows.js';

/** Adds the open questions of a run that has none so far. */
export async function insertQuestions(
  queries: Queries,
  codec: ValueCodec,
  { run_id, questions }: Pick<RunRecord, 'run_id' | 'questions'>,
): Promise<void> {
  const rows = questions.map((question, position) => ({
    run_id,
    position,
    question: codec.encode(question as unknown as JsonValue),
    hitl_run_id: question.hitl_run_id ?? null,
    asked_at: question.asked_at ?? '',
  }));
  for (const part of parts(rows)) await queries.insertInto('questions').values(part).execute();
}

/** The open questions that a filter asks for, the oldest first, as they are shown. */
export async function findQuestions(
  queries: Queries,
  codec: ValueCodec,
  { runId, workflow, forms, hitlRunId, limit, offset }: QuestionFilter,
): Promise<InboxQuestion[]> {
  let query = queries
    .selectFrom('questions')
    .innerJoin('runs', 'runs.run_id', 'questions.run_id')
    .innerJoin('pinned_definitions', 'digest', 'definition_digest')
    .select(['questions.run_id', 'question', 'form', 'status', 'definition'])
    .orderBy('asked_at')
    .orderBy('questions.run_id')
    .orderBy('position');
  if (runId !== undefined) query = query.where('questions.run_id', '=', runId);
  if (workflow !== undefined) query = query.where('workflow', '=', columnText(workflow));
  if (forms !== undefined) query = query.where('form', 'in', [...forms]);
  if (hitlRunId !== undefined) query = query.where('hitl_run_id', '=', hitlRunId);
  if (limit !== undefined || offset !== undefined) query = query.limit(limit ?? largestLimit);
  if (offset !== undefined) query = query.offset(offset);
  return (await query.execute()).map(({ run_id, question, form, status, definition }) => ({
    ...(codec.show(question) as unknown as RunQuestion),
    run_id,
    workflow: (JSON.parse(definition) as RunRecord['definition']).id,
    form,
    status,
  }));
}
