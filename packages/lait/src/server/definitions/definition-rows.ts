import type { Selectable } from 'kysely';
import type { Form } from '../../plan/plan.js';
import type { Queries } from '../../runs/stores/database/database.js';
import { prepared } from '../../runs/stores/database/prepared.js';
import type { DefinitionsTable, DefinitionVersionsTable } from '../../runs/stores/database/tables.js';
import type { JsonValue } from '../../values/value.js';
import {
  contentOf,
  type RunnableVersion,
  type StoredDefinition,
  type StoredVersion,
  type VersionStatus,
} from './definition.js';

export interface DefinitionFilter {
  forms?: readonly Form[];
  /** The last one of the page before, in the order of their creation. */
  after?: Pick<StoredDefinition, 'createdAt' | 'id'>;
  limit?: number;
  offset?: number;
}

/** The rows of stored workflows within one read or transaction: what they mean is the service's business. */
export class DefinitionRows {
  constructor(private readonly queries: Queries) {}

  /** The newest first. */
  async list({ forms, after, limit, offset }: DefinitionFilter = {}): Promise<StoredDefinition[]> {
    let query = this.queries
      .selectFrom('definitions')
      .selectAll()
      .orderBy('created_at', 'desc')
      .orderBy('definition_id', 'desc');
    if (forms !== undefined) query = query.where('form', 'in', [...forms]);
    if (after !== undefined)
      query = query.where(({ eb, and, or }) =>
        or([
          eb('created_at', '<', after.createdAt),
          and([eb('created_at', '=', after.createdAt), eb('definition_id', '<', after.id)]),
        ]),
      );
    if (limit !== undefined || offset !== undefined) query = query.limit(limit ?? 2_147_483_647);
    if (offset !== undefined) query = query.offset(offset);
    return (await query.execute()).map(definitionOf);
  }

  async count(forms?: readonly Form[]): Promise<number> {
    let query = this.queries.selectFrom('definitions').select(({ fn }) => fn.countAll<number>().as('count'));
    if (forms !== undefined) query = query.where('form', 'in', [...forms]);
    return Number((await query.executeTakeFirstOrThrow()).count);
  }

  async find(id: string): Promise<StoredDefinition | undefined> {
    const row = await this.queries
      .selectFrom('definitions')
      .selectAll()
      .where('definition_id', '=', id)
      .executeTakeFirst();
    return row === undefined ? undefined : definitionOf(row);
  }

  /** Holds the row until the transaction ends, so that two who change it come one after the other. */
  async lock(id: string): Promise<StoredDefinition | undefined> {
    // An update takes the lock in both databases.
    await this.queries
      .updateTable('definitions')
      .set(({ ref }) => ({ updated_at: ref('updated_at') }))
      .where('definition_id', '=', id)
      .execute();
    return this.find(id);
  }

  async insert(definition: StoredDefinition): Promise<boolean> {
    const { numInsertedOrUpdatedRows } = await this.queries
      .insertInto('definitions')
      .values(definitionRow(definition))
      .onConflict((conflict) => conflict.column('definition_id').doNothing())
      .executeTakeFirst();
    return numInsertedOrUpdatedRows === 1n;
  }

  async update(definition: StoredDefinition): Promise<void> {
    const { definition_id, ...columns } = definitionRow(definition);
    await this.queries
      .updateTable('definitions')
      .set(columns)
      .where('definition_id', '=', definition_id)
      .execute();
  }

  async remove(id: string): Promise<void> {
    await this.queries.deleteFrom('definitions').where('definition_id', '=', id).execute();
  }

  /** The newest first. */
  async versions(definitionId: string): Promise<StoredVersion[]> {
    const rows = await this.queries
      .selectFrom('definition_versions')
      .selectAll()
      .where('definition_id', '=', definitionId)
      .orderBy('version', 'desc')
      .execute();
    return rows.map(versionOf);
  }

  async version(
    which: { revisionId: string } | { definitionId: string; version: number },
  ): Promise<StoredVersion | undefined> {
    let query = this.queries.selectFrom('definition_versions').selectAll();
    query =
      'revisionId' in which
        ? query.where('revision_id', '=', which.revisionId)
        : query.where('definition_id', '=', which.definitionId).where('version', '=', which.version);
    const row = await query.executeTakeFirst();
    return row === undefined ? undefined : versionOf(row);
  }

  /** What a new run must know of a version that is no draft; the published one unless another one is named. */
  async runnable(
    definitionId: string,
    version: number | null,
    revisionId: string | null,
  ): Promise<RunnableVersion | undefined> {
    const look = {
      id: definitionId,
      version: version ?? 0,
      revision_id: revisionId ?? '',
      status: 'published',
    };
    const by = revisionId !== null ? 'revision_id' : version !== null ? 'version' : 'status';
    const [row] = (await runnableBy[by](this.queries, look)).rows;
    return (
      row && {
        revisionId: row.revision_id,
        version: row.version,
        form: row.form,
        skipApproval: row.skip_approval === 1,
      }
    );
  }

  /** The version that runs. */
  async published(definitionId: string): Promise<StoredVersion | undefined> {
    const row = await this.queries
      .selectFrom('definition_versions')
      .selectAll()
      .where('definition_id', '=', definitionId)
      .where('status', '=', 'published')
      .executeTakeFirst();
    return row === undefined ? undefined : versionOf(row);
  }

  /** The running version of every workflow, or of those of some forms. */
  async allPublished(forms?: readonly Form[]): Promise<StoredVersion[]> {
    const rows = await this.queries
      .selectFrom('definition_versions')
      .innerJoin('definitions', 'definitions.definition_id', 'definition_versions.definition_id')
      .selectAll('definition_versions')
      .where('status', '=', 'published')
      .$if(forms !== undefined, (query) => query.where('form', 'in', [...forms!]))
      .execute();
    return rows.map(versionOf);
  }

  async insertVersion(version: StoredVersion): Promise<void> {
    await this.queries.insertInto('definition_versions').values(versionRow(version)).execute();
  }

  async updateVersion(version: StoredVersion): Promise<void> {
    const { revision_id, ...columns } = versionRow(version);
    await this.queries
      .updateTable('definition_versions')
      .set(columns)
      .where('revision_id', '=', revision_id)
      .execute();
  }

  async removeVersion(revisionId: string): Promise<void> {
    await this.queries.deleteFrom('definition_versions').where('revision_id', '=', revisionId).execute();
  }
}

const runnableBy = {
  revision_id: runnable('revision_id'),
  version: runnable('version'),
  status: runnable('status'),
};

interface RunnableLook extends Pick<DefinitionVersionsTable, 'revision_id' | 'version' | 'status'> {
  id: string;
}

function runnable(by: 'revision_id' | 'version' | 'status') {
  return prepared((queries, look: RunnableLook) =>
    queries
      .selectFrom('definition_versions')
      .innerJoin('definitions', 'definitions.definition_id', 'definition_versions.definition_id')
      .select(['revision_id', 'version', 'form', 'skip_approval'])
      .where('definitions.definition_id', '=', look.id)
      .where('status', '!=', 'draft')
      .where(by, '=', look[by]),
  );
}

function definitionOf(row: Selectable<DefinitionsTable>): StoredDefinition {
  return {
    id: row.definition_id,
    form: row.form,
    name: JSON.parse(row.name) as string,
    description: row.description === null ? null : (JSON.parse(row.description) as string),
    authorId: row.author_id,
    skipApproval: row.skip_approval === 1,
    createdAt: row.created_at,
    updatedAt: row.updated_at,
  };
}

function definitionRow(definition: StoredDefinition): Selectable<DefinitionsTable> {
  const { description } = definition;
  return {
    definition_id: definition.id,
    form: definition.form,
    name: JSON.stringify(definition.name),
    description: description === null ? null : JSON.stringify(description),
    author_id: definition.authorId,
    skip_approval: definition.skipApproval ? 1 : 0,
    created_at: definition.createdAt,
    updated_at: definition.updatedAt,
  };
}

function versionOf(row: Selectable<DefinitionVersionsTable>): StoredVersion {
  return {
    revisionId: row.revision_id,
    definitionId: row.definition_id,
    version: row.version,
    status: row.status as VersionStatus,
    content: contentOf(JSON.parse(row.content) as JsonValue),
    createdAt: row.created_at,
    updatedAt: row.updated_at,
  };
}

function versionRow(version: StoredVersion): Selectable<DefinitionVersionsTable> {
  return {
    revision_id: version.revisionId,
    definition_id: version.definitionId,
    version: version.version,
    status: version.status,
    content: JSON.stringify(version.content),
    created_at: version.createdAt,
    updated_at: version.updatedAt,
  };
}
