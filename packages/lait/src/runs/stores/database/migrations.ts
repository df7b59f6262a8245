import { type Kysely, type QueryExecutorProvider, sql } from 'kysely';

/** One step of the schema. Steps are never changed once they were released, only added. */
export type Migration = (schema: Kysely<unknown>['schema'], queries: QueryExecutorProvider) => Promise<void>;

export const migrations: readonly Migration[] = [
  runTables,
  definitionTables,
  serverTables,
  usageTable,
  interfaceTables,
  receiptTable,
  queueIndexes,
  graphTemplateTable,
  currentRunColumn,
];

async function runTables(schema: Kysely<unknown>['schema']): Promise<void> {
  await schema
    .createTable('pinned_definitions')
    .addColumn('digest', 'text', (column) => column.primaryKey())
    .addColumn('definition', 'text', (column) => column.notNull())
    .execute();
  await schema
    .createTable('runs')
    .addColumn('run_id', 'text', (column) => column.primaryKey())
    .addColumn('form', 'text', (column) => column.notNull())
    .addColumn('workflow', 'text', (column) => column.notNull())
    .addColumn('definition_digest', 'text', (column) =>
      column.notNull().references('pinned_definitions.digest'),
    )
    .addColumn('source_run_id', 'text')
    .addColumn('status', 'text', (column) => column.notNull())
    .addColumn('revision', 'integer', (column) => column.notNull())
    .addColumn('priority', 'integer', (column) => column.notNull())
    .addColumn('value', 'text')
    .addColumn('inputs', 'text', (column) => column.notNull())
    .addColumn('context', 'text', (column) => column.notNull())
    .addColumn('answers', 'text', (column) => column.notNull())
    .addColumn('result', 'text')
    .addColumn('result_summary', 'text')
    .addColumn('error_summary', 'text')
    .addColumn('worker_instance_id', 'text')
    .addColumn('created_at', 'text', (column) => column.notNull())
    .addColumn('updated_at', 'text', (column) => column.notNull())
    .addColumn('queued_at', 'text')
    .addColumn('started_at', 'text')
    .addColumn('finished_at', 'text')
    .addColumn('last_seq', 'integer', (column) => column.notNull())
    .addColumn('lease_worker', 'text')
    .addColumn('lease_until', 'bigint', (column) => column.notNull().defaultTo(0))
    .addColumn('lease_attempt', 'integer', (column) => column.notNull().defaultTo(0))
    .execute();
  const runIndexes: Readonly<Record<string, readonly string[]>> = {
    runs_created: ['created_at', 'run_id'],
    runs_workflow: ['workflow', 'created_at', 'run_id'],
    runs_form: ['form', 'created_at', 'run_id'],
    runs_status: ['status', 'created_at', 'run_id'],
    runs_queue: ['status', 'workflow', 'priority', 'queued_at'],
    runs_leases: ['lease_until'],
    runs_finished: ['finished_at'],
    runs_definition: ['definition_digest'],
  };
  for (const [name, columns] of Object.entries(runIndexes))
    await schema
      .createIndex(name)
      .on('runs')
      .columns([...columns])
      .execute();
  await schema
    .createTable('questions')
    .addColumn('run_id', 'text', (column) => column.notNull().references('runs.run_id').onDelete('cascade'))
    .addColumn('position', 'integer', (column) => column.notNull())
    .addColumn('question', 'text', (column) => column.notNull())
    .addColumn('hitl_run_id', 'text')
    .addColumn('asked_at', 'text', (column) => column.notNull())
    .addPrimaryKeyConstraint('questions_key', ['run_id', 'position'])
    .execute();
  await schema.createIndex('questions_asked').on('questions').columns(['asked_at', 'run_id']).execute();
  await schema.createIndex('questions_hitl').on('questions').column('hitl_run_id').execute();
  await schema
    .createTable('journal')
    .addColumn('run_id', 'text', (column) => column.notNull().references('runs.run_id').onDelete('cascade'))
    .addColumn('entry_key', 'text', (column) => column.notNull())
    .addColumn('position', 'integer', (column) => column.notNull())
    .addColumn('entry', 'text', (column) => column.notNull())
    .addPrimaryKeyConstraint('journal_key', ['run_id', 'entry_key'])
    .execute();
  await schema
    .createTable('events')
    .addColumn('run_id', 'text', (column) => column.notNull().references('runs.run_id').onDelete('cascade'))
    .addColumn('seq', 'integer', (column) => column.notNull())
    .addColumn('event_type', 'text', (column) => column.notNull())
    .addColumn('payload', 'text', (column) => column.notNull())
    .addColumn('event_key', 'text')
    .addColumn('key_digest', 'text')
    .addColumn('created_at', 'text', (column) => column.notNull())
    .addPrimaryKeyConstraint('events_key', ['run_id', 'seq'])
    .execute();
  await schema.createIndex('events_once').unique().on('events').columns(['run_id', 'key_digest']).execute();
  await schema
    .createTable('queue_turns')
    .addColumn('workflow', 'text', (column) => column.primaryKey())
    .addColumn('turn', 'bigint', (column) => column.notNull())
    .execute();
}

async function definitionTables(schema: Kysely<unknown>['schema']): Promise<void> {
  await schema
    .createTable('definitions')
    .addColumn('definition_id', 'text', (column) => column.primaryKey())
    .addColumn('form', 'text', (column) => column.notNull())
    .addColumn('name', 'text', (column) => column.notNull())
    .addColumn('description', 'text')
    .addColumn('author_id', 'text')
    .addColumn('skip_approval', 'integer', (column) => column.notNull().defaultTo(0))
    .addColumn('created_at', 'text', (column) => column.notNull())
    .addColumn('updated_at', 'text', (column) => column.notNull())
    .execute();
  await schema
    .createIndex('definitions_form')
    .on('definitions')
    .columns(['form', 'created_at', 'definition_id'])
    .execute();
  await schema
    .createTable('definition_versions')
    .addColumn('revision_id', 'text', (column) => column.primaryKey())
    .addColumn('definition_id', 'text', (column) =>
      column.notNull().references('definitions.definition_id').onDelete('cascade'),
    )
    .addColumn('version', 'integer', (column) => column.notNull())
    .addColumn('status', 'text', (column) => column.notNull())
    .addColumn('content', 'text', (column) => column.notNull())
    .addColumn('created_at', 'text', (column) => column.notNull())
    .addColumn('updated_at', 'text', (column) => column.notNull())
    .execute();
  await schema
    .createIndex('definition_versions_number')
    .unique()
    .on('definition_versions')
    .columns(['definition_id', 'version'])
    .execute();
}

async function serverTables(schema: Kysely<unknown>['schema']): Promise<void> {
  await schema
    .createTable('schedules')
    .addColumn('schedule_id', 'text', (column) => column.primaryKey())
    .addColumn('form', 'text', (column) => column.notNull())
    .addColumn('workflow', 'text', (column) => column.notNull())
    .addColumn('cron', 'text')
    .addColumn('time_zone', 'text', (column) => column.notNull())
    .addColumn('call', 'text', (column) => column.notNull())
    .addColumn('missed_run_policy', 'text', (column) => column.notNull())
    .addColumn('enabled', 'integer', (column) => column.notNull())
    .addColumn('next_at', 'bigint')
    .addColumn('last_at', 'bigint')
    .addColumn('last_run_id', 'text')
    .addColumn('created_at', 'text', (column) => column.notNull())
    .addColumn('updated_at', 'text', (column) => column.notNull())
    .execute();
  await schema.createIndex('schedules_next').on('schedules').columns(['enabled', 'next_at']).execute();
  await schema
    .createTable('tokens')
    .addColumn('token_id', 'text', (column) => column.primaryKey())
    .addColumn('name', 'text', (column) => column.notNull())
    .addColumn('digest', 'text', (column) => column.notNull().unique())
    .addColumn('scopes', 'text', (column) => column.notNull())
    .addColumn('created_at', 'text', (column) => column.notNull())
    .addColumn('expires_at', 'text')
    .addColumn('last_used_at', 'text')
    .addColumn('revoked_at', 'text')
    .execute();
  await schema
    .createTable('webhooks')
    .addColumn('webhook_id', 'text', (column) => column.primaryKey())
    .addColumn('direction', 'text', (column) => column.notNull())
    .addColumn('url', 'text')
    .addColumn('workflow', 'text')
    .addColumn('event_types', 'text', (column) => column.notNull())
    .addColumn('secret', 'text', (column) => column.notNull())
    .addColumn('enabled', 'integer', (column) => column.notNull())
    .addColumn('created_at', 'text', (column) => column.notNull())
    .addColumn('updated_at', 'text', (column) => column.notNull())
    .execute();
  await schema
    .createTable('webhook_deliveries')
    .addColumn('delivery_id', 'text', (column) => column.primaryKey())
    .addColumn('webhook_id', 'text', (column) =>
      column.notNull().references('webhooks.webhook_id').onDelete('cascade'),
    )
    .addColumn('run_id', 'text')
    .addColumn('event_type', 'text', (column) => column.notNull())
    .addColumn('body', 'text', (column) => column.notNull())
    .addColumn('status', 'text', (column) => column.notNull())
    .addColumn('attempts', 'integer', (column) => column.notNull())
    .addColumn('next_at', 'bigint', (column) => column.notNull())
    .addColumn('last_error', 'text')
    .addColumn('created_at', 'text', (column) => column.notNull())
    .addColumn('updated_at', 'text', (column) => column.notNull())
    .execute();
  await schema
    .createIndex('webhook_deliveries_due')
    .on('webhook_deliveries')
    .columns(['status', 'next_at'])
    .execute();
  await schema
    .createTable('audit_events')
    .addColumn('audit_id', 'text', (column) => column.primaryKey())
    .addColumn('created_at', 'text', (column) => column.notNull())
    .addColumn('actor', 'text', (column) => column.notNull())
    .addColumn('action', 'text', (column) => column.notNull())
    .addColumn('subject', 'text')
    .addColumn('details', 'text', (column) => column.notNull())
    .execute();
  await schema
    .createIndex('audit_events_created')
    .on('audit_events')
    .columns(['created_at', 'audit_id'])
    .execute();
}

async function usageTable(schema: Kysely<unknown>['schema']): Promise<void> {
  await schema
    .createTable('model_usage')
    .addColumn('run_id', 'text', (column) => column.notNull())
    .addColumn('request_key', 'text', (column) => column.notNull())
    .addColumn('workflow', 'text', (column) => column.notNull())
    .addColumn('model', 'text', (column) => column.notNull())
    .addColumn('source', 'text', (column) => column.notNull())
    .addColumn('input_tokens', 'bigint', (column) => column.notNull())
    .addColumn('cached_input_tokens', 'bigint', (column) => column.notNull())
    .addColumn('cache_write_tokens', 'bigint', (column) => column.notNull())
    .addColumn('output_tokens', 'bigint', (column) => column.notNull())
    .addColumn('cost', 'double precision')
    .addColumn('created_at', 'text', (column) => column.notNull())
    .addPrimaryKeyConstraint('model_usage_key', ['run_id', 'request_key'])
    .execute();
  await schema.createIndex('model_usage_created').on('model_usage').column('created_at').execute();
}

async function interfaceTables(schema: Kysely<unknown>['schema']): Promise<void> {
  await schema
    .createTable('dynamic_runs')
    .addColumn('run_id', 'text', (column) => column.primaryKey())
    .addColumn('workflow', 'text', (column) => column.notNull())
    .addColumn('resource_id', 'text')
    .addColumn('state', 'text', (column) => column.notNull())
    .addColumn('created_at', 'text', (column) => column.notNull())
    .addColumn('updated_at', 'text', (column) => column.notNull())
    .execute();
  await schema
    .createIndex('dynamic_runs_workflow')
    .on('dynamic_runs')
    .columns(['workflow', 'created_at', 'run_id'])
    .execute();
  await schema
    .alterTable('schedules')
    .addColumn('name', 'text', (column) => column.notNull().defaultTo('""'))
    .execute();
  await schema
    .alterTable('schedules')
    .addColumn('missed_run_limit', 'integer', (column) => column.notNull().defaultTo(10))
    .execute();
  await schema.alterTable('schedules').addColumn('last_error', 'text').execute();
  await schema
    .alterTable('webhooks')
    .addColumn('name', 'text', (column) => column.notNull().defaultTo('""'))
    .execute();
  await schema
    .alterTable('webhooks')
    .addColumn('call', 'text', (column) => column.notNull().defaultTo('{}'))
    .execute();
  await schema
    .createTable('webhook_receipts')
    .addColumn('webhook_id', 'text', (column) =>
      column.notNull().references('webhooks.webhook_id').onDelete('cascade'),
    )
    .addColumn('message_id', 'text', (column) => column.notNull())
    .addColumn('received_at', 'bigint', (column) => column.notNull())
    .addColumn('run_id', 'text', (column) => column.notNull())
    .addPrimaryKeyConstraint('webhook_receipts_key', ['webhook_id', 'message_id'])
    .execute();
  await schema
    .createIndex('webhook_receipts_received')
    .on('webhook_receipts')
    .column('received_at')
    .execute();
  await schema.createIndex('runs_updated').on('runs').columns(['updated_at', 'run_id']).execute();
}

async function receiptTable(schema: Kysely<unknown>['schema']): Promise<void> {
  await schema
    .createTable('write_receipts')
    .addColumn('receipt', 'text', (column) => column.primaryKey())
    .addColumn('written_at', 'bigint', (column) => column.notNull())
    .execute();
  await schema.createIndex('write_receipts_written').on('write_receipts').column('written_at').execute();
}

async function graphTemplateTable(schema: Kysely<unknown>['schema']): Promise<void> {
  await schema
    .createTable('graph_templates')
    .addColumn('template_id', 'text', (column) => column.primaryKey())
    .addColumn('name', 'text', (column) => column.notNull())
    .addColumn('description', 'text', (column) => column.notNull())
    .addColumn('source_definition_id', 'text', (column) => column.notNull())
    .addColumn('source_revision_id', 'text', (column) => column.notNull())
    .addColumn('graph', 'text', (column) => column.notNull())
    .addColumn('created_at', 'text', (column) => column.notNull())
    .addColumn('updated_at', 'text', (column) => column.notNull())
    .execute();
  await schema
    .createIndex('graph_templates_created')
    .on('graph_templates')
    .columns(['created_at', 'template_id'])
    .execute();
}

/** A claim must not look at more than it takes, and a change must not touch indexes that it does not concern. */
async function queueIndexes(schema: Kysely<unknown>['schema']): Promise<void> {
  for (const name of ['runs_queue', 'runs_leases', 'runs_finished']) await schema.dropIndex(name).execute();
  await schema
    .createIndex('runs_waiting')
    .on('runs')
    .columns(['workflow', 'priority', 'queued_at', 'run_id'])
    .where(sql.ref('status'), '=', sql.lit('queued'))
    .execute();
  await schema
    .createIndex('runs_worked_on')
    .on('runs')
    .column('lease_until')
    .where(sql.ref('status'), 'in', sql`('running', 'cancelling')`)
    .execute();
  await schema
    .createIndex('runs_claimed')
    .on('runs')
    .columns(['lease_until', 'workflow'])
    .where(sql.ref('lease_until'), '>', sql.lit(0))
    .execute();
  await schema
    .createIndex('runs_ended')
    .on('runs')
    .column('finished_at')
    .where(sql.ref('finished_at'), 'is not', null)
    .execute();
  await schema.createIndex('queue_turns_turn').on('queue_turns').column('turn').execute();
}

async function currentRunColumn(
  schema: Kysely<unknown>['schema'],
  queries: QueryExecutorProvider,
): Promise<void> {
  await schema
    .alterTable('dynamic_runs')
    .addColumn('current_run_id', 'text', (column) => column.notNull().defaultTo(''))
    .execute();
  await sql`update dynamic_runs set current_run_id = run_id`.execute(queries);
  await schema.createIndex('dynamic_runs_current').on('dynamic_runs').column('current_run_id').execute();
}
