import { randomUUID } from 'node:crypto';
import { Batches } from '../../runs/stores/batches.js';
import type { Database } from '../../runs/stores/database/database.js';
import { insertNew } from '../../runs/stores/database/insert-new.js';
import type { AuditEventsTable } from '../../runs/stores/database/tables.js';
import type { JsonObject } from '../../values/value.js';
import type { Actor } from './scopes.js';

const repeatable = { repeatable: true };
/** What is written twice is the same. */
const insertRows = insertNew('audit_events', ['audit_id']);

/** Something that somebody did. */
export interface AuditEvent {
  id: string;
  at: string;
  actor: string;
  /** Noun and verb: `run.created`, `token.revoked`, `access.refused`. */
  action: string;
  subject: string | null;
  details: JsonObject;
}

/** Who did what: every change that was asked for over HTTP or with `lait tokens`, and refused access. */
export class Audit {
  readonly #batches: Batches<AuditEventsTable>;

  constructor(private readonly database: Database) {
    this.#batches = new Batches((rows) =>
      database.write(async (queries) => {
        await insertRows(queries, rows);
      }, repeatable),
    );
  }

  /** Resolves when it is stored; those that come together share a transaction. */
  record(
    actor: Pick<Actor, 'id'>,
    action: string,
    subject: string | null,
    details: JsonObject = {},
  ): Promise<void> {
    return this.#batches.add({
      // Sorts by time: pages are cut by it.
      audit_id: `${Date.now().toString(36).padStart(9, '0')}_${randomUUID().slice(0, 8)}`,
      created_at: new Date().toISOString(),
      actor: actor.id,
      action,
      subject,
      details: JSON.stringify(details),
    });
  }

  /** The newest first; `before` is the id of the last event of the page before. */
  async list({ limit, before }: { limit: number; before?: string }): Promise<AuditEvent[]> {
    const rows = await this.database.read((queries) => {
      let query = queries.selectFrom('audit_events').selectAll().orderBy('audit_id', 'desc').limit(limit);
      if (before !== undefined) query = query.where('audit_id', '<', before);
      return query.execute();
    });
    return rows.map(({ audit_id, created_at, actor, action, subject, details }) => ({
      id: audit_id,
      at: created_at,
      actor,
      action,
      subject,
      details: JSON.parse(details) as JsonObject,
    }));
  }

  /** Removes what is older than the instant. */
  async removeBefore(time: string): Promise<void> {
    await this.database.write((queries) =>
      queries.deleteFrom('audit_events').where('created_at', '<', time).execute(),
    );
  }
}
