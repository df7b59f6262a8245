import { createHash } from 'node:crypto';
import { contractClassOf, mayBeStrict } from '../../../kinds/capability-values.js';
import type { Capability } from '../../../kinds/services.js';
import type { Diagnostic } from '../../../plan/diagnostic.js';
import type { NodeRow } from '../../../runs/node-rows.js';
import type { RunLogEvent, RunRecord } from '../../../runs/run-record.js';
import type { JsonObject } from '../../../values/value.js';
import { type StoredDefinition, type StoredVersion, textOfContent } from '../../definitions/definition.js';
import { graphOf } from './graph-content.js';

/** Views of this interface. Source: graph facts §1.2 to §1.8, §6, §10. */

/** A workflow without its revisions. */
export function workflowView(definition: StoredDefinition): JsonObject {
  return {
    workflow_id: definition.id,
    name: definition.name,
    description: definition.description ?? '',
    skip_approval: definition.skipApproval,
    created_at: definition.createdAt,
    updated_at: definition.updatedAt,
  };
}

/** A revision with its graph, whatever it was stored as. */
export function revisionView(version: StoredVersion): JsonObject {
  const { inputs_schema, nodes, edges } = graphOf(version.content);
  const { revisionId: revision_id } = version;
  return {
    revision_id,
    workflow_id: version.definitionId,
    version: version.version,
    status: version.status,
    inputs_schema,
    nodes: nodes.map((node) => ({ ...node, revision_id })),
    edges: edges.map((edge) => ({ ...edge, revision_id })),
    created_at: version.createdAt,
    updated_at: version.updatedAt,
  };
}

/** A run as lists show it. `versions`: those of its workflow that are still stored. */
export function runSummary(record: RunRecord, versions: readonly StoredVersion[]): JsonObject {
  const { context } = record;
  return {
    run_id: record.run_id,
    workflow_id: record.definition.id,
    revision_id: revisionOf(record, versions)?.revisionId ?? null,
    status: record.status,
    inputs: record.inputs,
    source_run_id: record.source_run_id ?? null,
    reference_time: context.reference_time ?? null,
    worker_instance_id: record.worker_instance_id ?? null,
    result_summary: record.result_summary ?? null,
    error_summary: record.error_summary ?? null,
    created_at: record.created_at,
    updated_at: record.updated_at,
    started_at: record.started_at ?? null,
    finished_at: record.finished_at ?? null,
  };
}

/** A run with the graph that it began with. */
export function runView(record: RunRecord, versions: readonly StoredVersion[]): JsonObject {
  const text = record.definition.sources[0]?.text ?? '{}';
  return { ...runSummary(record, versions), graph_snapshot: graphOf(text) };
}

/** The newest version of before the run whose content it runs; none when that version was removed. */
function revisionOf(record: RunRecord, versions: readonly StoredVersion[]): StoredVersion | undefined {
  const text = record.definition.sources[0]?.text;
  return versions.find(
    ({ content, createdAt, status }) =>
      status !== 'draft' && createdAt <= record.created_at && textOfContent(content) === text,
  );
}

/** An attempt of a node. */
export function nodeView(row: NodeRow, runId: string): JsonObject {
  return {
    run_id: runId,
    node_id: row.node_id,
    activation_id: row.activation_id,
    attempt: row.attempt,
    status: row.status,
    inputs: row.inputs ?? null,
    output: row.output ?? null,
    error_summary: row.error_summary ?? null,
    effects: row.effects ?? [],
    hitl_run_id: row.hitl_run_id ?? null,
    cancel_outcome: row.cancel_outcome ?? null,
    attention_reason: row.attention_reason ?? null,
    child_kind: null,
    child_run_id: null,
    started_at: row.started_at ?? null,
    finished_at: row.finished_at ?? null,
  };
}

/** An entry of a run's log; its id follows from its place. */
export function eventView({ run_id, seq, event_type, payload, created_at }: RunLogEvent): JsonObject {
  const digest = createHash('sha256').update(`${run_id}\0${seq}`).digest('hex');
  return { event_id: `wevt_${digest.slice(0, 32)}`, run_id, seq, event_type, payload, created_at };
}

/** A frame of the stream: no event name, the type inside the data. Source: graph facts §8.3. */
export function eventFrame({ seq, event_type, payload }: RunLogEvent): string {
  const data = Object.hasOwn(payload, 'event') ? payload : { event: event_type, ...payload };
  return `id: ${seq}\ndata: ${JSON.stringify(data)}\n\n`;
}

/** What a capability node may call. */
export function capabilityView(capability: Capability): JsonObject {
  return {
    capability_key: capability.key,
    label: capability.label ?? capability.key,
    description: capability.description ?? '',
    enabled: capability.enabled,
    approval_policy: capability.approval_policy,
    read_only: capability.read_only === true,
    workflow_only: capability.question !== undefined,
    effects: [...capability.effects],
    inputs_schema: capability.input_schema ?? null,
    target_schema: capability.target_schema ?? null,
    output_schema: capability.output_schema ?? null,
    output_contract_class: contractClassOf(capability),
    output_reference_policy: capability.contract === undefined ? 'any' : 'declared_fields',
    strict_allowed: mayBeStrict(capability),
  };
}

/** What checking a graph came to. */
export function checkView(diagnostics: readonly Diagnostic[]): JsonObject {
  const views = diagnostics.map(issueView);
  const errors = views.filter(({ severity }) => severity === 'error');
  return {
    valid: errors.length === 0,
    errors,
    warnings: views.filter(({ severity }) => severity !== 'error'),
  };
}

/** A problem of a graph: which node or edge, and what to do. */
export function issueView(diagnostic: Diagnostic): JsonObject {
  const { code, severity, message, path, hint } = diagnostic;
  const { node_id, edge_id } = diagnostic as Diagnostic & { node_id?: string; edge_id?: string };
  return {
    code,
    severity,
    message,
    ...(node_id !== undefined && { node_id }),
    ...(edge_id !== undefined && { edge_id }),
    ...(path !== undefined && { path }),
    ...(hint !== undefined && { hint }),
  };
}
