import { createHash } from 'node:crypto';
import type { RunRecord } from '../../runs/run-record.js';
import { isTerminal, type RunStatus, runStatuses } from '../../runs/run-status.js';
import type { Queries } from '../../runs/stores/database/database.js';
import { questionView } from '../routes/run-view.js';
import type { ServerContext } from '../server-context.js';
import { type Webhook, type WebhookEvent, webhookOf } from './webhook.js';

/** Longer results are left out of messages: they can be read from the run. */
const maxResultBytes = 262_144;
const pageSize = 200;

/** Statuses that outgoing webhooks are told of. */
const toldStatuses: readonly RunStatus[] = runStatuses.filter((status) => eventOf(status) !== undefined);

/** What a status means to webhooks. */
export function eventOf(status: RunStatus): WebhookEvent | undefined {
  if (isTerminal(status)) return 'run.finished';
  return status.startsWith('waiting_') ? 'question.waiting' : undefined;
}

/**
 * Puts messages to webhooks into the database. A message has an id that follows from what it tells, so that it is put
 * there once, however often and by however many processes somebody looks.
 */
export class DeliveryQueue {
  constructor(
    private readonly server: ServerContext,
    private readonly now: () => number,
  ) {}

  /** What webhooks are told of a run as it stands. Gives the number of new messages. */
  async tell(record: RunRecord): Promise<number> {
    return this.#tellAll([record], await this.#listeners());
  }

  async hasListeners(): Promise<boolean> {
    return (await this.#listeners()).length > 0;
  }

  /** Catches up on runs that have changed since an instant: also those of processes that died before they told. */
  async catchUp(since: number): Promise<number> {
    const webhooks = await this.#listeners();
    if (webhooks.length === 0) return 0;
    let added = 0;
    let after = { updated_at: new Date(since).toISOString(), run_id: '' };
    for (;;) {
      const page = await this.server.database.read((queries) => changedRuns(queries, after));
      const missing = await this.#withoutMessages(page, webhooks);
      for (const { run_id } of missing) {
        const record = await this.server.runs.get(run_id).catch(() => undefined);
        if (record !== undefined) added += await this.#tellAll([record], webhooks);
      }
      const last = page.at(-1);
      if (last === undefined || page.length < pageSize) return added;
      after = { updated_at: last.updated_at, run_id: last.run_id };
    }
  }

  /** A message that shows whether a webhook works. */
  async test(webhook: Webhook): Promise<string> {
    const at = this.now();
    const id = messageId(webhook.id, 'test', String(at));
    await this.#insert([
      { id, webhook, runId: null, event: 'webhook.test', data: { webhook_id: webhook.id } },
    ]);
    return id;
  }

  async #tellAll(records: readonly RunRecord[], webhooks: readonly Webhook[]): Promise<number> {
    const messages: Message[] = [];
    for (const record of records) {
      const event = eventOf(record.status);
      if (event === undefined) continue;
      for (const webhook of webhooks) {
        if (!listensTo(webhook, { ...record, workflow: record.definition.id })) continue;
        const id = messageId(webhook.id, record.run_id, String(record.revision));
        messages.push({ id, webhook, runId: record.run_id, event, data: dataOf(record, event) });
      }
    }
    return this.#insert(messages);
  }

  async #insert(messages: readonly Message[]): Promise<number> {
    if (messages.length === 0) return 0;
    const at = this.now();
    const time = new Date(at).toISOString();
    const rows = messages.map(({ id, webhook, runId, event, data }) => ({
      delivery_id: id,
      webhook_id: webhook.id,
      run_id: runId,
      event_type: event,
      body: JSON.stringify(this.server.secrets.mask(JSON.stringify({ type: event, timestamp: time, data }))),
      status: 'pending',
      attempts: 0,
      next_at: at,
      last_error: null,
      created_at: time,
      updated_at: time,
    }));
    const { numInsertedOrUpdatedRows } = await this.server.database.write((queries) =>
      queries
        .insertInto('webhook_deliveries')
        .values(rows)
        .onConflict((conflict) => conflict.column('delivery_id').doNothing())
        .executeTakeFirst(),
    );
    return Number(numInsertedOrUpdatedRows ?? 0);
  }

  async #listeners(): Promise<Webhook[]> {
    const rows = await this.server.database.read((queries) =>
      queries
        .selectFrom('webhooks')
        .selectAll()
        .where('direction', '=', 'out')
        .where('enabled', '=', 1)
        .execute(),
    );
    return rows.map(webhookOf);
  }

  async #withoutMessages(page: readonly ChangedRun[], webhooks: readonly Webhook[]): Promise<ChangedRun[]> {
    const wanted = page.flatMap((run) =>
      webhooks
        .filter((webhook) => listensTo(webhook, run))
        .map((webhook) => ({ run, id: messageId(webhook.id, run.run_id, String(run.revision)) })),
    );
    if (wanted.length === 0) return [];
    const known = new Set<string>();
    for (let at = 0; at < wanted.length; at += pageSize) {
      const ids = wanted.slice(at, at + pageSize).map(({ id }) => id);
      const rows = await this.server.database.read((queries) =>
        queries
          .selectFrom('webhook_deliveries')
          .select('delivery_id')
          .where('delivery_id', 'in', ids)
          .execute(),
      );
      for (const { delivery_id } of rows) known.add(delivery_id);
    }
    return [...new Set(wanted.filter(({ id }) => !known.has(id)).map(({ run }) => run))];
  }
}

interface Message {
  id: string;
  webhook: Webhook;
  runId: string | null;
  event: string;
  data: object;
}

type ChangedRun = Awaited<ReturnType<typeof changedRuns>>[number];

function changedRuns(queries: Queries, after: { updated_at: string; run_id: string }) {
  return queries
    .selectFrom('runs')
    .select(['run_id', 'workflow', 'status', 'revision', 'updated_at'])
    .where('status', 'in', [...toldStatuses])
    .where(({ eb, and, or }) =>
      or([
        eb('updated_at', '>', after.updated_at),
        and([eb('updated_at', '=', after.updated_at), eb('run_id', '>', after.run_id)]),
      ]),
    )
    .orderBy('updated_at')
    .orderBy('run_id')
    .limit(pageSize)
    .execute();
}

/** Whether a webhook is told of a run; never of what was before it. */
function listensTo(
  { workflow, events, createdAt }: Webhook,
  run: { workflow: string; status: string; updated_at: string },
): boolean {
  const event = eventOf(run.status as RunStatus);
  return (
    event !== undefined &&
    events.includes(event) &&
    (workflow === null || workflow === run.workflow) &&
    run.updated_at >= createdAt
  );
}

function messageId(...parts: string[]): string {
  return `msg_${createHash('sha256').update(parts.join('\0')).digest('hex').slice(0, 32)}`;
}

function dataOf(record: RunRecord, event: WebhookEvent): object {
  const { run_id, definition, status, created_at, updated_at } = record;
  const about = { run_id, workflow: definition.id, form: definition.form, status, created_at, updated_at };
  if (event === 'question.waiting') return { ...about, questions: record.questions.map(questionView) };
  const result = record.result ?? null;
  const isLong = Buffer.byteLength(JSON.stringify(result) ?? '') > maxResultBytes;
  return {
    ...about,
    finished_at: record.finished_at ?? null,
    result: isLong ? null : result,
    result_left_out: isLong,
    error: record.error_summary ?? null,
  };
}
