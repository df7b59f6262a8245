import type { Form } from '../../../plan/plan.js';
import type { RunStatus } from '../../run-status.js';

/**
 * The tables of both databases. Columns that hold free text or values hold JSON (named so below): it has no zero bytes
 * and no lone surrogates, which PostgreSQL would refuse. Times are UTC ISO 8601 texts; instants that are compared with
 * the database's clock are milliseconds since 1970. Truth values are 0 and 1.
 */
export interface Tables {
  pinned_definitions: PinnedDefinitionsTable;
  runs: RunsTable;
  questions: QuestionsTable;
  journal: JournalTable;
  events: EventsTable;
  queue_turns: QueueTurnsTable;
  definitions: DefinitionsTable;
  definition_versions: DefinitionVersionsTable;
  schedules: SchedulesTable;
  tokens: TokensTable;
  webhooks: WebhooksTable;
  webhook_deliveries: WebhookDeliveriesTable;
  audit_events: AuditEventsTable;
  model_usage: ModelUsageTable;
  dynamic_runs: DynamicRunsTable;
  webhook_receipts: WebhookReceiptsTable;
  write_receipts: WriteReceiptsTable;
  graph_templates: GraphTemplatesTable;
}

/** What runs run, stored once however many runs share it. */
export interface PinnedDefinitionsTable {
  /** SHA-256 of the definition. */
  digest: string;
  /** JSON: `RunDefinition`. */
  definition: string;
}

export interface RunsTable {
  run_id: string;
  form: Form;
  workflow: string;
  definition_digest: string;
  source_run_id: string | null;
  status: RunStatus;
  revision: number;
  priority: number;
  /** JSON; null without a value. */
  value: string | null;
  /** JSON. */
  inputs: string;
  /** JSON. */
  context: string;
  /** JSON. */
  answers: string;
  /** JSON; null without a result. */
  result: string | null;
  /** JSON text. */
  result_summary: string | null;
  /** JSON text. */
  error_summary: string | null;
  worker_instance_id: string | null;
  created_at: string;
  updated_at: string;
  queued_at: string | null;
  started_at: string | null;
  finished_at: string | null;
  /** Number of the newest event. */
  last_seq: number;
  lease_worker: string | null;
  /** Until when the claim holds, in milliseconds since 1970 by the database's clock; 0 when there is none. */
  lease_until: number;
  /** Counts the claims. */
  lease_attempt: number;
}

/** Open questions: the inbox of all forms. */
export interface QuestionsTable {
  run_id: string;
  position: number;
  /** JSON: `RunQuestion`. */
  question: string;
  hitl_run_id: string | null;
  asked_at: string;
}

export interface JournalTable {
  run_id: string;
  /** SHA-256 of type and address. */
  entry_key: string;
  position: number;
  /** JSON: `JournalEntry`. */
  entry: string;
}

export interface EventsTable {
  run_id: string;
  seq: number;
  event_type: string;
  /** JSON. */
  payload: string;
  /** JSON text. */
  event_key: string | null;
  /** SHA-256 of the key. */
  key_digest: string | null;
  created_at: string;
}

/** When a workflow was served last. */
export interface QueueTurnsTable {
  workflow: string;
  turn: number;
}

/** Stored workflows of all forms. */
export interface DefinitionsTable {
  definition_id: string;
  form: Form;
  /** JSON text. */
  name: string;
  /** JSON text. */
  description: string | null;
  author_id: string | null;
  /** Runs begin without a person's consent. */
  skip_approval: number;
  created_at: string;
  updated_at: string;
}

/** Versions of stored workflows; the graph form calls them revisions. */
export interface DefinitionVersionsTable {
  revision_id: string;
  definition_id: string;
  version: number;
  /** `draft`, `published` or `superseded`. */
  status: string;
  /** JSON: the definition as it was given. */
  content: string;
  created_at: string;
  updated_at: string;
}

export interface SchedulesTable {
  schedule_id: string;
  form: Form;
  workflow: string;
  /** Cron expression; null for one that fires once. */
  cron: string | null;
  time_zone: string;
  /** JSON: what the run is called with. */
  call: string;
  missed_run_policy: string;
  enabled: number;
  /** When it fires next, in milliseconds since 1970; null when it never does. */
  next_at: number | null;
  last_at: number | null;
  last_run_id: string | null;
  /** JSON text. */
  name: string;
  /** So many slots that were missed are made up for at most. */
  missed_run_limit: number;
  /** JSON text: why the newest slot started no run. */
  last_error: string | null;
  created_at: string;
  updated_at: string;
}

export interface TokensTable {
  token_id: string;
  /** JSON text. */
  name: string;
  /** SHA-256 of the token. */
  digest: string;
  /** JSON: list of scopes. */
  scopes: string;
  created_at: string;
  expires_at: string | null;
  last_used_at: string | null;
  revoked_at: string | null;
}

export interface WebhooksTable {
  webhook_id: string;
  /** `in` starts a run, `out` is told of events. */
  direction: string;
  url: string | null;
  workflow: string | null;
  /** JSON: event types. */
  event_types: string;
  /** JSON: the signing secrets that count, the newest first. */
  secret: string;
  /** JSON text. */
  name: string;
  /** JSON: how one that starts runs calls its workflow. */
  call: string;
  enabled: number;
  created_at: string;
  updated_at: string;
}

/** Calls to webhooks that were not yet taken, and, once given up, the dead letters. */
export interface WebhookDeliveriesTable {
  delivery_id: string;
  webhook_id: string;
  run_id: string | null;
  event_type: string;
  /** JSON. */
  body: string;
  /** `pending`, `delivered` or `dead`. */
  status: string;
  attempts: number;
  /** When the next attempt is due, in milliseconds since 1970. */
  next_at: number;
  /** JSON text. */
  last_error: string | null;
  created_at: string;
  updated_at: string;
}

export interface AuditEventsTable {
  audit_id: string;
  created_at: string;
  /** Who did it: a token's id, or `local`. */
  actor: string;
  action: string;
  /** What it was done to: a run, a definition, a token. */
  subject: string | null;
  /** JSON. */
  details: string;
}

/** What model requests used; kept when their runs are gone. */
export interface ModelUsageTable {
  run_id: string;
  /** Names the request within its run. */
  request_key: string;
  /** JSON text. */
  workflow: string;
  /** JSON text. */
  model: string;
  /** `live`, `cache` or `replay`. */
  source: string;
  input_tokens: number;
  cached_input_tokens: number;
  cache_write_tokens: number;
  output_tokens: number;
  /** Null when the price is not known. */
  cost: number | null;
  created_at: string;
}

/** Runs that clients of the dynamic form's interface have asked for, also before they are started. */
export interface DynamicRunsTable {
  run_id: string;
  workflow: string;
  /** Whom the run belongs to, in the client's words. JSON text. */
  resource_id: string | null;
  /** `pending`, `started` or `canceled`. */
  state: string;
  /** The run that is shown under the id: another one after a journey through time. Empty: none, it is one's past. */
  current_run_id: string;
  created_at: string;
  updated_at: string;
}

/** Requests that incoming webhooks have taken, so that none is taken twice. */
export interface WebhookReceiptsTable {
  webhook_id: string;
  /** The sender's id of the message. */
  message_id: string;
  /** Milliseconds since 1970. */
  received_at: number;
  run_id: string;
}

/** Proof that a transaction was committed, for the process whose connection broke meanwhile. SQLite needs none. */
export interface WriteReceiptsTable {
  receipt: string;
  /** In milliseconds since 1970. */
  written_at: number;
}

/** Graphs that people have kept to begin with. They stay when their source is removed: no reference holds it. */
export interface GraphTemplatesTable {
  template_id: string;
  /** JSON text. */
  name: string;
  /** JSON text. */
  description: string;
  source_definition_id: string;
  source_revision_id: string;
  /** JSON: inputs schema, nodes and edges. */
  graph: string;
  created_at: string;
  updated_at: string;
}
