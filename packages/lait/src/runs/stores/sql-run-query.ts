import type { Selectable, SelectQueryBuilder } from 'kysely';
import type { Value } from '../../values/value.js';
import type { RunQuestion, RunRecord } from '../run-record.js';
import type { RunFilter, RunSelection } from '../run-store.js';
import type { Queries } from './database/database.js';
import type { RunsTable, Tables } from './database/tables.js';
import { parts } from './sql-events.js';
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

/** The records of a query's rows, with their questions and definitions. `decode` gives values for work or for show. */
export async function loadRecords(
  queries: Queries,
  query: RunQuery,
  decode: (text: string) => Value,
): Promise<RunRecord[]> {
  const rows: Selectable<RunsTable>[] = await query.selectAll('runs').execute();
  const asked = new Map<string, RunQuestion[]>();
  for (const part of parts(rows.map(({ run_id }) => run_id))) {
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
  const definitions = new Map<string, string>();
  for (const part of parts([...new Set(rows.map(({ definition_digest }) => definition_digest))])) {
    const found = await queries
      .selectFrom('pinned_definitions')
      .selectAll()
      .where('digest', 'in', part)
      .execute();
    for (const { digest, definition } of found) definitions.set(digest, definition);
  }
  return rows.flatMap((row) => {
    const definition = definitions.get(row.definition_digest);
    // Removed between the two queries.
    return definition === undefined ? [] : [recordOf(row, definition, asked.get(row.run_id) ?? [], decode)];
  });
}
