import type { Queries } from '../database/database.js';
import { prepared, preparedByShape } from '../database/prepared.js';
import type { RunsTable } from '../database/tables.js';

/** How a run stands as far as the caller knows; `lease_attempt` when somebody else's claim would be in the way. */
export type KnownRun = Pick<RunsTable, 'run_id' | 'revision'> & { lease_attempt: number | undefined };

/** Sets columns of a run. */
export async function updateRun(
  queries: Queries,
  run_id: string,
  columns: Partial<RunsTable>,
): Promise<void> {
  await updates(Object.keys(columns).join())(queries, { ...columns, where_id: run_id });
}

/**
 * Sets columns of a run that still stands so, and counts further events of its log. Gives the number of the newest one;
 * `undefined` when the run stands otherwise or is gone.
 */
export async function updateKnownRun(
  queries: Queries,
  { run_id, revision, lease_attempt }: KnownRun,
  columns: Partial<RunsTable>,
  added: number,
): Promise<number | undefined> {
  const shape = `${lease_attempt === undefined ? '' : leased}${Object.keys(columns).join()}`;
  const known = { where_id: run_id, where_revision: revision, where_attempt: lease_attempt, added };
  const { rows } = await knownUpdates(shape)(queries, { ...columns, ...known });
  return rows[0]?.last_seq;
}

const leased = 'leased ';

const updates = preparedByShape<Partial<RunsTable> & { where_id: string }, unknown>((shape) =>
  prepared((queries, slots) =>
    queries.updateTable('runs').set(slotsOf(shape, slots)).where('run_id', '=', slots.where_id),
  ),
);

interface KnownSlots extends Partial<RunsTable> {
  where_id: string;
  where_revision: number;
  where_attempt: number | undefined;
  added: number;
}

const knownUpdates = preparedByShape<KnownSlots, { last_seq: number }>((shape) =>
  prepared((queries, slots) => {
    const isLeased = shape.startsWith(leased);
    const query = queries
      .updateTable('runs')
      .set(slotsOf(isLeased ? shape.slice(leased.length) : shape, slots))
      .set(({ eb }) => ({ last_seq: eb('last_seq', '+', slots.added) }))
      .where('run_id', '=', slots.where_id)
      .where('revision', '=', slots.where_revision);
    return (isLeased ? query.where('lease_attempt', '=', slots.where_attempt!) : query).returning('last_seq');
  }),
);

function slotsOf(shape: string, slots: Partial<RunsTable>): Partial<RunsTable> {
  return Object.fromEntries(shape.split(',').map((name) => [name, slots[name as keyof RunsTable]]));
}
