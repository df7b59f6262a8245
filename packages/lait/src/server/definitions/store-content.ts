import { randomUUID } from 'node:crypto';
import { conflict } from '../http/problem.js';
import type { UncheckedContent } from './check-definition.js';
import type { DefinitionContent, DefinitionView, StoredDefinition, StoredVersion } from './definition.js';
import type { DefinitionRows } from './definition-rows.js';

/** What is stored of a workflow. */
export interface NewContent extends UncheckedContent {
  /** Default: what the content calls itself, else the id. */
  name?: string;
  description?: string | null;
  authorId?: string | null;
  skipApproval?: boolean;
  /** The number of the version that the caller changes; another one that is current by now is a conflict. */
  baseVersion?: number;
  /** Kept as a draft, whatever its problems. Default: checked and published. */
  draft?: boolean;
}

/**
 * Stores a version of a workflow that is new or known, within a transaction. Throws an `HttpProblem`: 409
 * `version_stale` (with the current version) or `form_differs`.
 */
export async function storeContent(rows: DefinitionRows, content: NewContent): Promise<DefinitionView> {
  const { id, form, draft = false, baseVersion } = content;
  const now = new Date().toISOString();
  let definition = await rows.lock(id);
  if (definition !== undefined && definition.form !== form)
    throw conflict('form_differs', `'${id}' is a workflow of the ${definition.form} form`, {
      form: definition.form,
    });
  const versions = definition === undefined ? [] : await rows.versions(id);
  const current = versions[0]?.version ?? 0;
  if (baseVersion !== undefined && baseVersion !== current)
    throw conflict('version_stale', `'${id}' is at version ${current} by now, not ${baseVersion}`, {
      current_version: current,
    });
  const described = { ...describedBy(content), ...givenDescription(content) };
  if (definition === undefined) {
    definition = {
      id,
      form,
      name: id,
      description: null,
      authorId: null,
      skipApproval: false,
      ...described,
      createdAt: now,
      updatedAt: now,
    };
    if (!(await rows.insert(definition)))
      throw conflict('version_stale', `'${id}' was stored by somebody else at the same time; try again`);
  } else {
    definition = { ...definition, ...described, updatedAt: now };
    await rows.update(definition);
  }
  if (!draft) await supersede(rows, id, now);
  await rows.insertVersion(newVersion(id, current + 1, draft ? 'draft' : 'published', content.content));
  return { definition, versions: await rows.versions(id) };
}

/** What was published is not any more. */
export async function supersede(rows: DefinitionRows, definitionId: string, now: string): Promise<void> {
  const published = await rows.published(definitionId);
  if (published !== undefined)
    await rows.updateVersion({ ...published, status: 'superseded', updatedAt: now });
}

export function newVersion(
  definitionId: string,
  version: number,
  status: StoredVersion['status'],
  content: DefinitionContent,
): StoredVersion {
  const now = new Date().toISOString();
  const revisionId = `wrev_${randomUUID().replaceAll('-', '')}`;
  return { revisionId, definitionId, version, status, content, createdAt: now, updatedAt: now };
}

function describedBy({ content }: NewContent): Partial<Pick<StoredDefinition, 'name' | 'description'>> {
  if (typeof content === 'string') return {};
  const { name, description } = content;
  return {
    ...(typeof name === 'string' && name !== '' && { name }),
    ...(typeof description === 'string' && { description }),
  };
}

function givenDescription(content: NewContent): Partial<StoredDefinition> {
  const { name, description, authorId, skipApproval } = content;
  return {
    ...(name !== undefined && { name }),
    ...(description !== undefined && { description }),
    ...(authorId !== undefined && { authorId }),
    ...(skipApproval !== undefined && { skipApproval }),
  };
}
