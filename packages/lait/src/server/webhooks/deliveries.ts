import type { Database } from '../../runs/stores/database/database.js';
import { type Delivery, deliveryOf, type Webhook, webhookOf } from './webhook.js';

/** A claimed message belongs to its process for so long. */
const claimMs = 60_000;
const day = 24 * 3_600_000;
/** Delivered messages and receipts are kept for a week, dead ones for a month. */
const keptDelivered = 7 * day;
const keptDead = 30 * day;

/** The messages to webhooks as they stand in the database: which are due, who sends them, what became of them. */
export class Deliveries {
  constructor(
    private readonly database: Database,
    private readonly now: () => number,
  ) {}

  /** Messages whose time has come, the oldest first: at most so many, and none to webhooks that are `full`. */
  async due(most: number, full: readonly string[]): Promise<{ delivery: Delivery; webhook: Webhook }[]> {
    const now = this.now();
    return this.database.read(async (queries) => {
      const webhooks = new Map(
        (await queries.selectFrom('webhooks').selectAll().where('enabled', '=', 1).execute()).map((row) => [
          row.webhook_id,
          webhookOf(row),
        ]),
      );
      const able = [...webhooks.keys()].filter((id) => !full.includes(id));
      if (able.length === 0) return [];
      const rows = await queries
        .selectFrom('webhook_deliveries')
        .selectAll()
        .where('status', '=', 'pending')
        .where('next_at', '<=', now)
        .where('webhook_id', 'in', able)
        .orderBy('next_at')
        .orderBy('created_at')
        .limit(most)
        .execute();
      return rows.map((row) => ({ delivery: deliveryOf(row), webhook: webhooks.get(row.webhook_id)! }));
    });
  }

  /** Of several processes exactly one moves the message on. */
  async claim({ id, nextAt, attempts }: Delivery): Promise<boolean> {
    const { numUpdatedRows } = await this.database.write((queries) =>
      queries
        .updateTable('webhook_deliveries')
        .set({ next_at: this.now() + claimMs, attempts: attempts + 1 })
        .where('delivery_id', '=', id)
        .where('status', '=', 'pending')
        .where('next_at', '=', nextAt)
        .where('attempts', '=', attempts)
        .executeTakeFirst(),
    );
    return numUpdatedRows === 1n;
  }

  end(delivery: Delivery, status: 'delivered' | 'dead', error: string | null): Promise<void> {
    return this.#update(delivery, { status, last_error: error });
  }

  /** It is sent again at an instant, by whoever works then. */
  postpone(delivery: Delivery, next_at: number, error: string): Promise<void> {
    return this.#update(delivery, { next_at, last_error: error });
  }

  /** Removes messages and receipts that are kept no longer. */
  async cleanUp(): Promise<void> {
    const now = this.now();
    const before = (age: number) => new Date(now - age).toISOString();
    await this.database.write(async (queries) => {
      for (const [status, age] of [
        ['delivered', keptDelivered],
        ['dead', keptDead],
      ] as const)
        await queries
          .deleteFrom('webhook_deliveries')
          .where('status', '=', status)
          .where('updated_at', '<', before(age))
          .execute();
      await queries
        .deleteFrom('webhook_receipts')
        .where('received_at', '<', now - keptDelivered)
        .execute();
    });
  }

  async #update(
    { id, attempts }: Delivery,
    { last_error, ...change }: { status?: string; next_at?: number; last_error: string | null },
  ): Promise<void> {
    await this.database.write((queries) =>
      queries
        .updateTable('webhook_deliveries')
        .set({
          ...change,
          last_error: last_error === null ? null : JSON.stringify(last_error.slice(0, 300)),
          updated_at: new Date(this.now()).toISOString(),
        })
        .where('delivery_id', '=', id)
        // Somebody may have sent it again meanwhile.
        .where('attempts', '=', attempts)
        .execute(),
    );
  }
}
