import { randomUUID } from 'node:crypto';
import { isLaitError } from '../../../errors/lait-error.js';
import type { RunRecord } from '../../../runs/run-record.js';
import { unfinishedStatuses } from '../../../runs/run-status.js';
import type { Actor } from '../../access/scopes.js';
import type { StoredDefinition, StoredVersion } from '../../definitions/definition.js';
import { conflict, HttpProblem, notFound } from '../../http/problem.js';
import type { ServerContext } from '../../server-context.js';
import { copyGraph } from './copy-graph.js';
import { emptyGraph, type GraphContent, graphOf } from './graph-content.js';

export interface NewWorkflow {
  name: string;
  description?: string | null | undefined;
  skipApproval?: boolean | undefined;
  graph?: GraphContent;
}

/** Workflows, revisions and runs of the graph form as this interface knows them: nothing of other forms is shown. */
export class GraphStore {
  constructor(private readonly server: ServerContext) {}

  async list(page: { limit: number; offset: number }): Promise<{ items: StoredDefinition[]; total: number }> {
    return this.server.definitions.read(async (rows) => ({
      items: await rows.list({ forms: ['graph'], ...page }),
      total: await rows.count(['graph']),
    }));
  }

  /** A new workflow with its first draft. */
  async create({ name, description, skipApproval, graph = emptyGraph }: NewWorkflow, actor: Actor) {
    const id = `wf_${randomUUID().replaceAll('-', '')}`;
    const view = await this.server.definitions.put({
      id,
      form: 'graph',
      content: graph,
      name,
      description: description ?? null,
      authorId: actor.id,
      skipApproval: skipApproval ?? false,
      draft: true,
    });
    await this.server.audit.record(actor, 'definition.stored', id, { version: 1 });
    return { definition: view.definition, revision: view.versions[0]! };
  }

  async workflow(id: string): Promise<{ definition: StoredDefinition; versions: StoredVersion[] }> {
    const view = await this.server.definitions.get(id).catch((error: unknown) => {
      if (error instanceof HttpProblem && error.status === 404) throw notFound('workflow', id);
      throw error;
    });
    if (view.definition.form !== 'graph') throw notFound('workflow', id);
    return view;
  }

  async revision(id: string): Promise<{ definition: StoredDefinition; revision: StoredVersion }> {
    const found = await this.server.definitions.read(async (rows) => {
      const revision = await rows.version({ revisionId: id });
      const definition = revision && (await rows.find(revision.definitionId));
      return revision && definition && { revision, definition };
    });
    if (found?.definition.form !== 'graph') throw notFound('revision', id);
    return found;
  }

  /** Throws an `HttpProblem`: 404, or 409 `version_not_published`. */
  async publishedRevision(id: string): Promise<{ definition: StoredDefinition; revision: StoredVersion }> {
    const found = await this.revision(id);
    const { status } = found.revision;
    if (status !== 'published')
      throw conflict('version_not_published', `revision '${id}' is ${status}; publish it first`);
    return found;
  }

  /** A draft with the published graph under ids of its own, or an empty one. */
  async addDraft(workflowId: string): Promise<StoredVersion> {
    const { versions } = await this.workflow(workflowId);
    const published = versions.find(({ status }) => status === 'published');
    const graph = published === undefined ? emptyGraph : copyGraph(graphOf(published.content));
    return this.server.definitions.addDraft(workflowId, graph);
  }

  /** Removes a workflow with its runs. Throws an `HttpProblem` (409) while a run or a schedule needs it. */
  async remove(workflowId: string, actor: Actor): Promise<{ revisions: number; runs: number }> {
    const { versions } = await this.workflow(workflowId);
    const { runs, definitions, database, audit } = this.server;
    const busy = await runs.count({ workflow: workflowId, statuses: unfinishedStatuses });
    if (busy > 0)
      throw conflict('workflow_in_use', `${busy} runs of the workflow have not ended; cancel them first`);
    const schedule = await database.read((queries) =>
      queries
        .selectFrom('schedules')
        .select('schedule_id')
        .where('workflow', '=', workflowId)
        .executeTakeFirst(),
    );
    if (schedule !== undefined)
      throw conflict(
        'workflow_scheduled',
        `schedule '${schedule.schedule_id}' starts the workflow; remove it first`,
      );
    await definitions.remove(workflowId);
    await audit.record(actor, 'definition.removed', workflowId);
    let removed = 0;
    for (;;) {
      const page = await runs.list({ workflow: workflowId, limit: 100 });
      for (const { run_id } of page) await runs.forget(run_id);
      removed += page.length;
      if (page.length < 100) return { revisions: versions.length, runs: removed };
    }
  }

  async run(runId: string): Promise<RunRecord> {
    const record = await this.server.runs.get(runId).catch((error: unknown) => {
      if (isLaitError(error) && error.code === 'run_not_found') throw notFound('run', runId);
      throw error;
    });
    if (record.definition.form !== 'graph') throw notFound('run', runId);
    return record;
  }

  /** The versions of a run's workflow; none when it was removed. */
  versionsOf({ definition }: RunRecord): Promise<StoredVersion[]> {
    return this.server.definitions.read((rows) => rows.versions(definition.id));
  }
}
