import type { Selectable } from 'kysely';
import type { WebhookDeliveriesTable, WebhooksTable } from '../../runs/stores/database/tables.js';
import type { SigningSecret } from './signature.js';

/** What an outgoing webhook can be told of. */
export const webhookEvents = ['run.finished', 'question.waiting'] as const;
export type WebhookEvent = (typeof webhookEvents)[number];

/** How an incoming webhook calls its workflow. */
export interface WebhookCall {
  /** Whether the body is the input or the named inputs. Default: what the workflow's form has. */
  body_as?: 'input' | 'inputs';
  priority?: number;
  skip_approval?: boolean;
}

export interface Webhook {
  id: string;
  name: string;
  /** `in` starts runs of its workflow, `out` is told of events. */
  direction: 'in' | 'out';
  /** Of `out`. */
  url: string | null;
  /** Of `in`: what is started; of `out`: whose events, null for all. */
  workflow: string | null;
  /** Of `out`. */
  events: readonly WebhookEvent[];
  call: WebhookCall;
  secrets: readonly SigningSecret[];
  enabled: boolean;
  createdAt: string;
  updatedAt: string;
}

export type DeliveryStatus = 'pending' | 'delivered' | 'dead';

/** One message to one webhook. */
export interface Delivery {
  id: string;
  webhookId: string;
  runId: string | null;
  event: string;
  /** JSON text: exactly what is signed and sent. */
  body: string;
  status: DeliveryStatus;
  attempts: number;
  /** Milliseconds since 1970. */
  nextAt: number;
  lastError: string | null;
  createdAt: string;
  updatedAt: string;
}

export function webhookOf(row: Selectable<WebhooksTable>): Webhook {
  return {
    id: row.webhook_id,
    name: JSON.parse(row.name) as string,
    direction: row.direction as Webhook['direction'],
    url: row.url,
    workflow: row.workflow,
    events: JSON.parse(row.event_types) as WebhookEvent[],
    call: JSON.parse(row.call) as WebhookCall,
    secrets: JSON.parse(row.secret) as SigningSecret[],
    enabled: row.enabled === 1,
    createdAt: row.created_at,
    updatedAt: row.updated_at,
  };
}

/** The row of a webhook: texts and lists are JSON, truth values 0 and 1. */
export function webhookRow(webhook: Webhook): Selectable<WebhooksTable> {
  return {
    webhook_id: webhook.id,
    name: JSON.stringify(webhook.name),
    direction: webhook.direction,
    url: webhook.url,
    workflow: webhook.workflow,
    event_types: JSON.stringify(webhook.events),
    call: JSON.stringify(webhook.call),
    secret: JSON.stringify(webhook.secrets),
    enabled: webhook.enabled ? 1 : 0,
    created_at: webhook.createdAt,
    updated_at: webhook.updatedAt,
  };
}

export function deliveryOf(row: Selectable<WebhookDeliveriesTable>): Delivery {
  return {
    id: row.delivery_id,
    webhookId: row.webhook_id,
    runId: row.run_id,
    event: row.event_type,
    body: JSON.parse(row.body) as string,
    status: row.status as DeliveryStatus,
    attempts: row.attempts,
    // PostgreSQL gives long integers as texts.
    nextAt: Number(row.next_at),
    lastError: row.last_error === null ? null : (JSON.parse(row.last_error) as string),
    createdAt: row.created_at,
    updatedAt: row.updated_at,
  };
}
