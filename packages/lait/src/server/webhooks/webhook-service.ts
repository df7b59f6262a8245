import { randomUUID } from 'node:crypto';
import { isIP } from 'node:net';
import { isPrivateAddress } from '../../capabilities/private-addresses.js';
import type { Database } from '../../runs/stores/database/database.js';
import { conflict, notFound, unprocessable } from '../http/problem.js';
import type { WorkflowCatalog } from '../runs/workflow-catalog.js';
import type { ServerContext } from '../server-context.js';
import { newSecret, rotated } from './signature.js';
import {
  type Delivery,
  type DeliveryStatus,
  deliveryOf,
  type Webhook,
  webhookOf,
  webhookRow,
} from './webhook.js';

/** After a rotation the old secret counts for so long. */
const overlapMs = 24 * 3_600_000;

export interface WebhookServiceOptions {
  database: Database;
  catalog: WorkflowCatalog;
  /** Hosts with private addresses that messages may go to. */
  privateHosts: readonly string[];
  /** Milliseconds since 1970. */
  now: () => number;
}

export type WebhookFields = Pick<
  Webhook,
  'name' | 'direction' | 'url' | 'workflow' | 'events' | 'call' | 'enabled'
>;

/** The webhooks of a server's database, and the messages to them. */
class WebhookService {
  constructor(private readonly options: WebhookServiceOptions) {}

  /** Throws an `HttpProblem` (404, 409, 422). The secret is shown this once. */
  async create(fields: WebhookFields, secret = newSecret()): Promise<{ webhook: Webhook; secret: string }> {
    await this.#check(fields);
    const now = this.#time();
    const webhook: Webhook = {
      ...fields,
      id: `hook_${randomUUID().replaceAll('-', '')}`,
      secrets: [{ secret }],
      createdAt: now,
      updatedAt: now,
    };
    await this.options.database.write((queries) =>
      queries.insertInto('webhooks').values(webhookRow(webhook)).execute(),
    );
    return { webhook, secret };
  }

  async change(id: string, change: Partial<Omit<WebhookFields, 'direction'>>): Promise<Webhook> {
    const found = await this.get(id);
    const changed: Webhook = { ...found, ...change, updatedAt: this.#time() };
    await this.#check(changed);
    await this.#update(changed);
    return changed;
  }

  /** A new secret; the old one counts for another day. */
  async rotate(id: string, secret = newSecret()): Promise<{ webhook: Webhook; secret: string }> {
    const found = await this.get(id);
    const secrets = rotated(found.secrets, secret, this.options.now() + overlapMs);
    const webhook = { ...found, secrets, updatedAt: this.#time() };
    await this.#update(webhook);
    return { webhook, secret };
  }

  async get(id: string): Promise<Webhook> {
    const found = await this.find(id);
    if (found === undefined) throw notFound('webhook', id);
    return found;
  }

  async find(id: string): Promise<Webhook | undefined> {
    const row = await this.options.database.read((queries) =>
      queries.selectFrom('webhooks').selectAll().where('webhook_id', '=', id).executeTakeFirst(),
    );
    return row === undefined ? undefined : webhookOf(row);
  }

  /** The newest first. */
  async list(): Promise<Webhook[]> {
    const rows = await this.options.database.read((queries) =>
      queries
        .selectFrom('webhooks')
        .selectAll()
        .orderBy('created_at', 'desc')
        .orderBy('webhook_id', 'desc')
        .execute(),
    );
    return rows.map(webhookOf);
  }

  /** Removes a webhook with its messages. */
  async remove(id: string): Promise<void> {
    const { numDeletedRows } = await this.options.database.write((queries) =>
      queries.deleteFrom('webhooks').where('webhook_id', '=', id).executeTakeFirst(),
    );
    if (numDeletedRows === 0n) throw notFound('webhook', id);
  }

  /** Messages, the newest first; `before` is the last one of the page before. */
  async deliveries(filter: {
    webhookId?: string;
    status?: DeliveryStatus;
    before?: { createdAt: string; id: string };
    limit: number;
  }): Promise<Delivery[]> {
    const rows = await this.options.database.read((queries) => {
      let query = queries
        .selectFrom('webhook_deliveries')
        .selectAll()
        .orderBy('created_at', 'desc')
        .orderBy('delivery_id', 'desc')
        .limit(filter.limit);
      if (filter.webhookId !== undefined) query = query.where('webhook_id', '=', filter.webhookId);
      if (filter.status !== undefined) query = query.where('status', '=', filter.status);
      const { before } = filter;
      if (before !== undefined)
        query = query.where(({ eb, and, or }) =>
          or([
            eb('created_at', '<', before.createdAt),
            and([eb('created_at', '=', before.createdAt), eb('delivery_id', '<', before.id)]),
          ]),
        );
      return query.execute();
    });
    return rows.map(deliveryOf);
  }

  /** Sends a message again, with all its attempts. Throws an `HttpProblem` (404, 409 `delivery_pending`). */
  async redeliver(id: string): Promise<Delivery> {
    return this.options.database.write(async (queries) => {
      const { numUpdatedRows } = await queries
        .updateTable('webhook_deliveries')
        .set({ status: 'pending', attempts: 0, next_at: this.options.now(), updated_at: this.#time() })
        .where('delivery_id', '=', id)
        .where('status', '!=', 'pending')
        .executeTakeFirst();
      const row = await queries
        .selectFrom('webhook_deliveries')
        .selectAll()
        .where('delivery_id', '=', id)
        .executeTakeFirst();
      if (row === undefined) throw notFound('delivery', id);
      if (numUpdatedRows === 0n) throw conflict('delivery_pending', `delivery '${id}' is under way already`);
      return deliveryOf(row);
    });
  }

  async #update(webhook: Webhook): Promise<void> {
    const { webhook_id, ...columns } = webhookRow(webhook);
    await this.options.database.write((queries) =>
      queries.updateTable('webhooks').set(columns).where('webhook_id', '=', webhook_id).execute(),
    );
  }

  async #check({ direction, url, workflow, events }: WebhookFields): Promise<void> {
    const refuse = (path: string, message: string) =>
      unprocessable('webhook_invalid', `${path}: ${message}`, [{ in: 'body', path, message }]);
    if (workflow !== null) await this.options.catalog.find(workflow);
    if (direction === 'in') {
      if (workflow === null) throw refuse('workflow', 'an incoming webhook starts a workflow');
      if (url !== null) throw refuse('url', 'an incoming webhook has none: it is called at /v1/hooks/<id>');
      return;
    }
    if (events.length === 0) throw refuse('events', 'an outgoing webhook is told of at least one event');
    if (url === null) throw refuse('url', 'an outgoing webhook needs the address that is told');
    const problem = urlProblem(url, this.options.privateHosts);
    if (problem !== undefined) throw refuse('url', problem);
  }

  #time(): string {
    return new Date(this.options.now()).toISOString();
  }
}

/** Why no messages can go to an address. Names are looked up, and checked again, whenever one is sent. */
function urlProblem(text: string, privateHosts: readonly string[]): string | undefined {
  let url: URL;
  try {
    url = new URL(text);
  } catch {
    return 'it is no address';
  }
  if (url.protocol !== 'https:' && url.protocol !== 'http:')
    return 'only http and https addresses are called';
  if (url.username !== '' || url.password !== '')
    return 'it must hold no password: messages are signed instead';
  const host = url.hostname.replace(/^\[|\]$/g, '');
  const isPrivate =
    host === 'localhost' || host.endsWith('.localhost') || (isIP(host) !== 0 && isPrivateAddress(host));
  if (isPrivate && !privateHosts.includes(host))
    return `${host} is a private address; the operator can list it under server.webhook_private_hosts`;
  return undefined;
}

/** The webhooks of a server, by the clock of this machine. */
export function webhookServiceOf({ database, catalog, settings }: ServerContext): WebhookService {
  return new WebhookService({ database, catalog, privateHosts: settings.webhookPrivateHosts, now: Date.now });
}
