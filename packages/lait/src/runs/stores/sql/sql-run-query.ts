import type { SelectQueryBuilder } from 'kysely';
import type { Value } from '../../../values/value.js';
import type { RunQuestion, RunRecord } from '../../run-record.js';
import type { RunFilter, RunSelection } from '../../run-store.js';
import type { Queries } from '../database/database.js';
import { parts } from '../database/insert-new.js';
import type { Tables } from '../database/tables.js';
import type { PinnedDefinitions } from './sql-definitions.js';
import { columnText, recordOf } from './sql-run-rows.js';

export type RunQuery<O = object> = SelectQueryBuilder<Tables, 'runs', O>;

/** Stands for "all of them" where a database wants a limit before an offset. */
export const largestLimit = 2_147_483_647;

/** Only the runs that fit every condition. */
export function selectedRuns<O>(query: RunQuery<O>, selection: RunSelection): RunQuery<O> {
  const { statuses, forms, workflow, createdFrom, createdBefore, finishedBefore } = selection;
  let chosen = query;
  if (statuses !== undefined) chosen = chosen.where('status', 'in', [...statuses]);
  if (forms !== undefined) chosen = chosen.where('form', 'in', [...forms]);
  if (workflow !== undefined) chosen = chosen.where('workflow', '=', columnText(workflow));
  if (createdFrom !== undefined) chosen = chosen.where('created_at', '>=', createdFrom);
  if (createdBefore !== undefined) chosen = chosen.where('created_at', '<', createdBefore);
  if (finishedBefore !== undefined) chosen = chosen.where('finished_at', '<', finishedBefore);
  return chosen;
}

/** The page of a list that a filter asks for. */
export function pagedRuns<O>(query: RunQuery<O>, filter: RunFilter): RunQuery<O> {
  const { order = 'newest', after, limit, offset } = filter;
  const direction = order === 'newest' ? 'desc' : 'asc';
  const behind = order === 'newest' ? '<' : '>';
  let paged = selectedRuns(query, filter).orderBy('created_at', direction).orderBy('run_id', direction);
  if (after !== undefined)
    paged = paged.where(({ eb, and, or }) =>
      or([
        eb('created_at', behind, after.created_at),
        and([eb('created_at', '=', after.created_at), eb('run_id', behind, after.run_id)]),
      ]),
    );
  if (limit !== undefined || offset !== undefined) paged = paged.limit(limit ?? largestLimit);
  return offset === undefined ? paged : paged.offset(offset);
}

/** A run with the columns that are the store's own business. */
export interface StoredRun {
  record: RunRecord;
  last_seq: number;
  lease_attempt: number;
  /** Questions are open. */
  asks: boolean;
}

/** The runs of a query, with their questions and definitions. `decode` gives values for work or for show. */
export async function loadRuns(
  queries: Queries,
  query: RunQuery,
  definitions: PinnedDefinitions,
  decode: (text: string) => Value,
): Promise<StoredRun[]> {
  const rows = await query
    .selectAll('runs')
    .select(({ exists, selectFrom }) =>
      exists(selectFrom('questions').select('position').whereRef('questions.run_id', '=', 'runs.run_id')).as(
        'asks',
      ),
    )
    .execute();
  const asked = new Map<string, RunQuestion[]>();
  for (const part of parts(rows.filter(({ asks }) => asks).map(({ run_id }) => run_id))) {
    const questions = await queries
      .selectFrom('questions')
      .select(['run_id', 'question'])
      .where('run_id', 'in', part)
      .orderBy('position')
      .execute();
    for (const { run_id, question } of questions) {
      const list = asked.get(run_id) ?? [];
      list.push(decode(question) as unknown as RunQuestion);
      asked.set(run_id, list);
    }
  }
  const texts = await definitions.texts(
    queries,
    rows.map(({ definition_digest }) => definition_digest),
  );
  return rows.flatMap((row) => {
    const definition = texts.get(row.definition_digest);
    // Removed between the two queries.
    if (definition === undefined) return [];
    const { last_seq, lease_attempt, asks } = row;
    const record = recordOf(row, definition, asked.get(row.run_id) ?? [], decode);
    return [{ record, last_seq, lease_attempt, asks: Boolean(asks) }];
  });
}
