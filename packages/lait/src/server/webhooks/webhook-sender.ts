import { requestBounded } from '../../capabilities/bounded-request.js';
import { isPrivateAddress } from '../../capabilities/private-addresses.js';
import type { RunRecord } from '../../runs/run-record.js';
import type { BackgroundService } from '../background-service.js';
import type { ServerContext } from '../server-context.js';
import { Deliveries } from './deliveries.js';
import { DeliveryQueue, eventOf } from './delivery-queue.js';
import { signedHeaders } from './signature.js';
import type { Delivery, Webhook } from './webhook.js';

const second = 1000;
const minute = 60 * second;
const hour = 60 * minute;
const day = 24 * hour;

/** How long after each failed attempt the next one comes; behind the last one a message is dead. */
export const retryDelays: readonly number[] = [
  5 * second,
  minute,
  5 * minute,
  30 * minute,
  2 * hour,
  5 * hour,
  10 * hour,
  10 * hour,
];

const timeoutMs = 15 * second;
const maxAnswerBytes = 1_048_576;
/** So many messages are under way at once, and so many of one webhook. */
const mostActive = 20;
const mostOfOne = 5;
/** How far back runs are looked for that nobody has told of: at the start, and every half minute. */
const firstLookBack = day;
const lookBack = 2 * minute;
const catchUpEvery = 30 * second;

export interface WebhookSenderOptions {
  server: ServerContext;
  /** Milliseconds since 1970. Default: the system's clock. */
  now?: () => number;
}

/**
 * Tells outgoing webhooks what has happened: at least once, by however many processes. A message that is not taken is
 * sent again later and later; in the end it is dead, and somebody can send it again.
 */
export class WebhookSender implements BackgroundService {
  readonly queue: DeliveryQueue;
  readonly #deliveries: Deliveries;
  readonly #server: ServerContext;
  readonly #now: () => number;
  readonly #active = new Map<string, { webhookId: string; done: Promise<void> }>();
  readonly #stop = new AbortController();
  #unsubscribe: (() => void) | undefined;
  #timers: NodeJS.Timeout[] = [];
  #working: Promise<void> | undefined;
  readonly #telling = new Set<Promise<unknown>>();
  /** Runs that changed in this turn: one look says whether anybody listens to them. */
  #changes: RunRecord[] = [];

  constructor({ server, now = Date.now }: WebhookSenderOptions) {
    this.#server = server;
    this.#now = now;
    this.queue = new DeliveryQueue(server, now);
    this.#deliveries = new Deliveries(server.database, now);
  }

  start(): void {
    this.#unsubscribe = this.#server.runChanges.subscribe((record) => this.#changed(record));
    const work = () => {
      this.#working ??= this.send()
        .catch((error: unknown) => this.#failed(error))
        .finally(() => {
          this.#working = undefined;
        });
    };
    this.#timers = [
      setInterval(work, this.#server.settings.pollMs),
      setInterval(() => this.#catchUp(lookBack), catchUpEvery),
      setInterval(() => this.#background(this.#deliveries.cleanUp()), hour),
    ];
    this.#catchUp(firstLookBack);
    work();
  }

  async stop(): Promise<void> {
    this.#unsubscribe?.();
    for (const timer of this.#timers) clearInterval(timer);
    await this.#working;
    await Promise.all(this.#telling);
    // What is under way may end; what hangs is sent again by whoever works next.
    const late = setTimeout(() => this.#stop.abort(), 2 * second);
    await this.idle();
    clearTimeout(late);
  }

  /** Claims messages that are due and begins to send them. */
  async send(): Promise<void> {
    while (this.#active.size < mostActive && !this.#stop.signal.aborted) {
      const due = await this.#deliveries.due(mostActive, this.#full());
      let begun = 0;
      for (const { delivery, webhook } of due) {
        if (this.#active.size >= mostActive || this.#activeOf(webhook.id) >= mostOfOne) continue;
        if (!(await this.#deliveries.claim(delivery))) continue;
        begun += 1;
        const done = this.#deliver({ ...delivery, attempts: delivery.attempts + 1 }, webhook)
          .catch((error: unknown) => this.#failed(error))
          .finally(() => this.#active.delete(delivery.id));
        this.#active.set(delivery.id, { webhookId: webhook.id, done });
      }
      if (begun === 0) return;
    }
  }

  /** Resolves when no message is under way. */
  async idle(): Promise<void> {
    await Promise.all([...this.#active.values()].map(({ done }) => done));
  }

  #changed(record: RunRecord): void {
    if (eventOf(record.status) === undefined) return;
    this.#changes.push(record);
    if (this.#changes.length === 1) this.#background(this.#tell());
  }

  async #tell(): Promise<void> {
    await new Promise(setImmediate);
    const changes = this.#changes;
    this.#changes = [];
    if (!(await this.queue.hasListeners())) return;
    await Promise.all(changes.map((record) => this.#tellOf(record)));
  }

  async #tellOf(record: RunRecord): Promise<void> {
    // As people see it: with names instead of secrets.
    const shown = await this.#server.runs.get(record.run_id);
    if (shown.revision !== record.revision) return;
    if ((await this.queue.tell(shown)) > 0) await this.send();
  }

  #catchUp(age: number): void {
    this.#background(this.queue.catchUp(this.#now() - age));
  }

  #background(work: Promise<unknown>): void {
    const telling: Promise<unknown> = work
      .catch((error: unknown) => this.#failed(error))
      .finally(() => this.#telling.delete(telling));
    this.#telling.add(telling);
  }

  async #deliver(delivery: Delivery, webhook: Webhook): Promise<void> {
    const now = this.#now();
    const url = new URL(webhook.url!);
    const host = url.hostname.replace(/^\[|\]$/g, '');
    const isAllowed = this.#server.settings.webhookPrivateHosts.includes(host);
    const message = { id: delivery.id, timestamp: Math.floor(now / 1000), body: delivery.body };
    try {
      const answer = await requestBounded({
        method: 'POST',
        url,
        headers: {
          'content-type': 'application/json',
          'content-length': String(Buffer.byteLength(delivery.body)),
          'user-agent': `lait/${this.#server.version}`,
          ...signedHeaders(message, webhook.secrets, now),
        },
        body: delivery.body,
        signal: this.#stop.signal,
        timeoutMs,
        maxBytes: maxAnswerBytes,
        mayConnect: (address) => isAllowed || !isPrivateAddress(address),
      });
      if (answer.status >= 200 && answer.status < 300)
        await this.#deliveries.end(delivery, 'delivered', null);
      else if (answer.status === 410) await this.#gone(delivery, webhook);
      else
        await this.#again(delivery, `status ${answer.status}`, retryAfterMs(answer.headers['retry-after']));
    } catch (error) {
      await this.#again(delivery, this.#server.secrets.mask((error as Error).message));
    }
  }

  async #again(delivery: Delivery, error: string, atLeastMs = 0): Promise<void> {
    const delay = retryDelays[delivery.attempts - 1];
    const { webhookId: webhook_id, id: delivery_id, attempts } = delivery;
    this.#server.logger.warn({ webhook_id, delivery_id, attempts, reason: error }, 'a webhook was not taken');
    if (delay === undefined) await this.#deliveries.end(delivery, 'dead', error);
    else await this.#deliveries.postpone(delivery, this.#now() + Math.max(delay, atLeastMs), error);
  }

  /** The receiver wants no more messages. */
  async #gone(delivery: Delivery, webhook: Webhook): Promise<void> {
    await this.#deliveries.end(delivery, 'dead', 'status 410: the receiver wants no more messages');
    await this.#server.database.write((queries) =>
      queries.updateTable('webhooks').set({ enabled: 0 }).where('webhook_id', '=', webhook.id).execute(),
    );
    await this.#server.audit.record({ id: webhook.id }, 'webhook.gone', webhook.id);
  }

  /** Webhooks that have as many messages under way as they may. */
  #full(): string[] {
    const webhooks = new Set([...this.#active.values()].map(({ webhookId }) => webhookId));
    return [...webhooks].filter((id) => this.#activeOf(id) >= mostOfOne);
  }

  #activeOf(webhookId: string): number {
    return [...this.#active.values()].filter((one) => one.webhookId === webhookId).length;
  }

  #failed(error: unknown): void {
    const { secrets, logger } = this.#server;
    logger.error({ err: { message: secrets.mask(String(error)) } }, 'webhooks failed');
  }
}

/** Of at most an hour. */
function retryAfterMs(header: string | undefined): number {
  return header !== undefined && /^\d{1,6}$/.test(header) ? Math.min(Number(header) * second, hour) : 0;
}
