import { randomUUID } from 'node:crypto';
import type { Selectable } from 'kysely';
import type { Database } from '../../../runs/stores/database/database.js';
import type { GraphTemplatesTable } from '../../../runs/stores/database/tables.js';
import { notFound } from '../../http/problem.js';
import type { GraphContent } from './graph-content.js';

/** A template without its graph, as lists show it. Times are UTC ISO 8601 texts. */
export interface UserTemplateSummary {
  templateId: string;
  name: string;
  description: string;
  /** Where the graph was taken from; that may be gone by now. */
  sourceWorkflowId: string;
  sourceRevisionId: string;
  createdAt: string;
  updatedAt: string;
}

export interface UserTemplate extends UserTemplateSummary {
  graph: GraphContent;
}

/** The part of a template that is a copy of a published revision. */
export type TemplateSource = Pick<UserTemplate, 'sourceWorkflowId' | 'sourceRevisionId' | 'graph'>;

const summaryColumns = [
  'template_id',
  'name',
  'description',
  'source_definition_id',
  'source_revision_id',
  'created_at',
  'updated_at',
] as const;

/**
 * Graphs that people have kept to begin with: copies that do not change with their source, nor with it are removed.
 * Source: graph facts §8.1.
 */
export class UserTemplates {
  constructor(private readonly database: Database) {}

  /** The newest first. */
  async list(page: { limit: number; offset: number }): Promise<{
    items: UserTemplateSummary[];
    total: number;
  }> {
    return this.database.read(async (queries) => {
      const rows = await queries
        .selectFrom('graph_templates')
        .select(summaryColumns)
        .orderBy('created_at', 'desc')
        .orderBy('template_id', 'desc')
        .limit(page.limit)
        .offset(page.offset)
        .execute();
      const { count } = await queries
        .selectFrom('graph_templates')
        .select(({ fn }) => fn.countAll<number>().as('count'))
        .executeTakeFirstOrThrow();
      return { items: rows.map(summaryOf), total: Number(count) };
    });
  }

  /** Throws an `HttpProblem` (404). */
  async get(templateId: string): Promise<UserTemplate> {
    const row = await this.database.read((queries) =>
      queries
        .selectFrom('graph_templates')
        .selectAll()
        .where('template_id', '=', templateId)
        .executeTakeFirst(),
    );
    if (row === undefined) throw notFound('template', templateId);
    return { ...summaryOf(row), graph: JSON.parse(row.graph) as GraphContent };
  }

  async create(template: Pick<UserTemplate, 'name' | 'description'> & TemplateSource): Promise<UserTemplate> {
    const now = new Date().toISOString();
    const templateId = `wtpl_${randomUUID().replaceAll('-', '')}`;
    const created: UserTemplate = { ...template, templateId, createdAt: now, updatedAt: now };
    await this.database.write((queries) =>
      queries
        .insertInto('graph_templates')
        .values({
          template_id: templateId,
          name: JSON.stringify(template.name),
          description: JSON.stringify(template.description),
          ...sourceColumns(template),
          created_at: now,
          updated_at: now,
        })
        .execute(),
    );
    return created;
  }

  /** Changes what is given and keeps the rest. Throws an `HttpProblem` (404). */
  async update(
    templateId: string,
    change: { name?: string; description?: string; source?: TemplateSource },
  ): Promise<UserTemplate> {
    const { name, description, source } = change;
    await this.database.write(async (queries) => {
      const { numUpdatedRows } = await queries
        .updateTable('graph_templates')
        .set({
          ...(name !== undefined && { name: JSON.stringify(name) }),
          ...(description !== undefined && { description: JSON.stringify(description) }),
          ...(source !== undefined && sourceColumns(source)),
          updated_at: new Date().toISOString(),
        })
        .where('template_id', '=', templateId)
        .executeTakeFirst();
      if (numUpdatedRows === 0n) throw notFound('template', templateId);
    });
    return this.get(templateId);
  }

  /** What was made from it stays. Throws an `HttpProblem` (404). */
  async remove(templateId: string): Promise<void> {
    await this.database.write(async (queries) => {
      const { numDeletedRows } = await queries
        .deleteFrom('graph_templates')
        .where('template_id', '=', templateId)
        .executeTakeFirst();
      if (numDeletedRows === 0n) throw notFound('template', templateId);
    });
  }
}

function summaryOf(
  row: Pick<Selectable<GraphTemplatesTable>, (typeof summaryColumns)[number]>,
): UserTemplateSummary {
  return {
    templateId: row.template_id,
    name: JSON.parse(row.name) as string,
    description: JSON.parse(row.description) as string,
    sourceWorkflowId: row.source_definition_id,
    sourceRevisionId: row.source_revision_id,
    createdAt: row.created_at,
    updatedAt: row.updated_at,
  };
}

function sourceColumns({ sourceWorkflowId, sourceRevisionId, graph }: TemplateSource) {
  return {
    source_definition_id: sourceWorkflowId,
    source_revision_id: sourceRevisionId,
    graph: JSON.stringify(graph),
  };
}
