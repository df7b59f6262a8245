import type { JsonObject, JsonValue } from '../values/value.js';
import type { NewRunEvent, RunLogEvent } from './run-record.js';

/** An entry of a log, stored or about to be. */
type Entry = NewRunEvent & Partial<Pick<RunLogEvent, 'created_at'>>;

export type NodeStatus =
  | 'pending'
  | 'running'
  | 'waiting_hitl'
  | 'succeeded'
  | 'skipped'
  | 'failed'
  | 'needs_attention'
  | 'cancelled';

/** One attempt of one activation. Source: graph facts §1.7. */
export interface NodeRow {
  node_id: string;
  /** Null for a node that was never visited. */
  activation_id: string | null;
  attempt: number;
  status: NodeStatus;
  inputs?: JsonValue;
  output?: JsonValue;
  effects?: string[];
  error_summary?: string;
  attention_reason?: string;
  /** What became of the call that a cancel reached. */
  cancel_outcome?: 'cancelled' | 'completed' | 'unknown';
  hitl_run_id?: string;
  started_at?: string;
  finished_at?: string;
}

/** Every attempt of every activation in the order of their beginning, read from the log. */
export function nodeRows(events: readonly Entry[]): NodeRow[] {
  const rows: NodeRow[] = [];
  for (const event of events) apply(event, rows);
  return rows;
}

function apply({ event_type, payload, created_at }: Entry, rows: NodeRow[]): void {
  const row = rows.findLast(
    (candidate) => candidate.activation_id === payload.activation_id && candidate.node_id === payload.node_id,
  );
  const end = (status: NodeStatus, more: Partial<NodeRow> = {}) => {
    if (row !== undefined)
      Object.assign(row, { status, ...(created_at !== undefined && { finished_at: created_at }), ...more });
  };
  switch (event_type) {
    case 'node_started':
      rows.push({
        node_id: payload.node_id as string,
        activation_id: payload.activation_id as string,
        attempt: payload.attempt as number,
        status: 'running',
        ...(payload.inputs !== undefined && { inputs: payload.inputs }),
        ...(created_at !== undefined && { started_at: created_at }),
      });
      return;
    case 'node_completed':
      end('succeeded', { output: payload.output ?? null, effects: payload.effects as string[] });
      return;
    case 'node_failed':
      end('failed', { error_summary: String((payload.error as JsonObject).message) });
      return;
    case 'node_cancelled':
      // What is known of a call that a cancel reached stays known when its run is cancelled for good.
      end('cancelled', { cancel_outcome: row?.cancel_outcome ?? 'cancelled' });
      return;
    case 'node_skipped':
      rows.push({
        node_id: payload.node_id as string,
        activation_id: null,
        attempt: 0,
        status: 'skipped',
        ...(created_at !== undefined && { finished_at: created_at }),
      });
      return;
    case 'hitl_question_asked':
      if (row !== undefined) Object.assign(row, { status: 'waiting_hitl', hitl_run_id: payload.hitl_run_id });
      return;
    case 'hitl_answer_received':
      if (row !== undefined) row.status = 'running';
      return;
    case 'node_needs_attention':
      if (row !== undefined) applyAttention(row, payload);
      return;
    case 'attention_resolved':
      // A call that runs again is a new activation; the old one is closed.
      if (payload.decision === 'reexecute') end('cancelled');
      else if (row !== undefined) row.status = 'running';
  }
}

function applyAttention(row: NodeRow, payload: JsonObject): void {
  const reason = payload.attention_reason as string;
  Object.assign(row, { status: 'needs_attention', attention_reason: reason, effects: payload.effects });
  if (payload.output !== undefined) row.output = payload.output;
  if (reason.startsWith('cancel_'))
    row.cancel_outcome = payload.result_certainty === 'completed' ? 'completed' : 'unknown';
}
