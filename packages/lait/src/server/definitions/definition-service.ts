import type { CallSignature } from '../../dialects/dynamic/catalog.js';
import { checkDynamicBundle } from '../../dialects/dynamic/check-bundle.js';
import { dialectOf } from '../../dialects/index.js';
import { DefinitionError } from '../../errors/errors.js';
import type { Database } from '../../runs/stores/database/database.js';
import { GatheredReads } from '../../runs/stores/gathered-reads.js';
import { isObject, type JsonObject } from '../../values/value.js';
import { conflict, HttpProblem, notFound, unprocessable } from '../http/problem.js';
import {
  type CheckedDefinition,
  checkDefinition,
  isError,
  type ServerWorld,
  type UncheckedContent,
} from './check-definition.js';
import type {
  DefinitionContent,
  DefinitionView,
  RunnableVersion,
  StoredDefinition,
  StoredVersion,
} from './definition.js';
import { type DefinitionFilter, DefinitionRows } from './definition-rows.js';
import { type NewContent, newVersion, storeContent, supersede } from './store-content.js';

export interface DefinitionServiceOptions {
  database: Database;
  /** Without signatures: they are read for each check. */
  world: Omit<ServerWorld, 'signatures'>;
  /** Ids of workflows of the configuration: they cannot be stored over. */
  configured: () => readonly string[];
}

/**
 * Stored workflows of all forms. A version never changes once it was published: runs and other workflows refer to it.
 * Every change is one transaction.
 */
export class DefinitionService {
  readonly #runnable: GatheredReads<RunnableVersion>;

  constructor(private readonly options: DefinitionServiceOptions) {
    this.#runnable = new GatheredReads((asked) =>
      this.read(async (rows) => {
        const found = new Map<string, RunnableVersion>();
        for (const key of asked) {
          const [id, version, revisionId] = JSON.parse(key) as [string, number | null, string | null];
          const runnable = await rows.runnable(id, version, revisionId);
          if (runnable !== undefined) found.set(key, runnable);
        }
        return found;
      }),
    );
  }

  read<T>(operation: (rows: DefinitionRows) => Promise<T>): Promise<T> {
    return this.options.database.read((queries) => operation(new DefinitionRows(queries)));
  }

  write<T>(operation: (rows: DefinitionRows) => Promise<T>): Promise<T> {
    return this.options.database.write((queries) => operation(new DefinitionRows(queries)));
  }

  list(filter?: DefinitionFilter): Promise<StoredDefinition[]> {
    return this.read((rows) => rows.list(filter));
  }

  /** Throws an `HttpProblem` (404 `definition_not_found`). */
  async get(id: string): Promise<DefinitionView> {
    const view = await this.read(async (rows) => {
      const definition = await rows.find(id);
      return definition && { definition, versions: await rows.versions(id) };
    });
    if (view === undefined) throw notFound('definition', id);
    return view;
  }

  /**
   * What a new run must know of a version: of the published one unless another one is named. `undefined` when it is not
   * there, or a draft. Runs of one workflow that begin together share the look.
   */
  runnable(
    id: string,
    which: { version?: number; revisionId?: string },
  ): Promise<RunnableVersion | undefined> {
    return this.#runnable.get(JSON.stringify([id, which.version ?? null, which.revisionId ?? null]));
  }

  /** The version that runs. `undefined` when nothing is stored or published under the id. */
  published(id: string): Promise<StoredVersion | undefined> {
    return this.read((rows) => rows.published(id));
  }

  /** Throws an `HttpProblem` (404 `definition_version_not_found`). */
  async version(which: Parameters<DefinitionRows['version']>[0]): Promise<StoredVersion> {
    const version = await this.read((rows) => rows.version(which));
    if (version !== undefined) return version;
    throw notFound(
      'definition version',
      'revisionId' in which ? which.revisionId : `${which.definitionId}/${which.version}`,
    );
  }

  /** Every problem of a definition; nothing is stored. */
  async check(content: UncheckedContent): Promise<CheckedDefinition> {
    return checkDefinition(content, await this.#world());
  }

  /**
   * Stores a version of a workflow that is new or known. Throws a `DefinitionError` with every problem, or an
   * `HttpProblem`: 409 `version_stale` (with the current version), `form_differs`, `definition_configured`, 422
   * `id_differs`.
   */
  async put(content: NewContent): Promise<DefinitionView> {
    requireOwnId(content);
    if (content.draft === true) return this.write((rows) => this.#store(rows, content));
    const checked = await this.check(content);
    this.#requireValid(content.id, checked);
    const { name, description } = checked.plan ?? {};
    const described = {
      ...content,
      name: content.name ?? name,
      description: content.description ?? description,
    };
    return this.write((rows) => this.#store(rows, described));
  }

  /**
   * Stores dynamic workflows that may call each other: all of them, or none. Throws what `put` throws, and a
   * `DynamicWorkflowError` in the words of that form.
   */
  async putDynamicBundle(contents: readonly (NewContent & { content: JsonObject })[]): Promise<void> {
    const world = await this.#world();
    await checkDynamicBundle(
      contents.map(({ content }) => content),
      world,
    );
    const bundle = new Map([
      ...world.signatures,
      ...contents.map((one) => [one.id, signatureOf(one.content)] as const),
    ]);
    for (const content of contents)
      this.#requireValid(content.id, await checkDefinition(content, { ...world, signatures: bundle }));
    await this.write(async (rows) => {
      for (const content of contents) await this.#store(rows, content);
    });
  }

  /** A new draft with the content of the newest version, or of `content`. */
  async addDraft(id: string, content?: DefinitionContent): Promise<StoredVersion> {
    return this.write(async (rows) => {
      const definition = await rows.lock(id);
      if (definition === undefined) throw notFound('definition', id);
      const [newest] = await rows.versions(id);
      const version = newVersion(id, (newest?.version ?? 0) + 1, 'draft', content ?? newest?.content ?? {});
      await rows.insertVersion(version);
      await rows.update({ ...definition, updatedAt: version.createdAt });
      return version;
    });
  }

  /** Replaces the content of a draft. Throws an `HttpProblem`: 404, or 409 `version_not_draft`. */
  async changeDraft(revisionId: string, content: DefinitionContent): Promise<StoredVersion> {
    return this.#changeVersion(revisionId, async (rows, version) => {
      requireDraft(version);
      const changed = { ...version, content, updatedAt: new Date().toISOString() };
      await rows.updateVersion(changed);
      return changed;
    });
  }

  /** Makes a draft the version that runs, when it has no errors. Throws a `DefinitionError`, or an `HttpProblem`. */
  async publish(revisionId: string): Promise<StoredVersion> {
    const found = await this.version({ revisionId });
    requireDraft(found);
    const { definition } = await this.get(found.definitionId);
    this.#requireValid(
      definition.id,
      await this.check({ id: definition.id, form: definition.form, content: found.content }),
    );
    return this.#changeVersion(revisionId, async (rows, version) => {
      requireDraft(version);
      if (version.updatedAt !== found.updatedAt)
        throw conflict('version_stale', 'the draft was changed while it was checked; publish it again', {
          version: version.version,
        });
      const now = new Date().toISOString();
      await supersede(rows, version.definitionId, now);
      const published: StoredVersion = { ...version, status: 'published', updatedAt: now };
      await rows.updateVersion(published);
      return published;
    });
  }

  /** Throws an `HttpProblem`: 404, or 409 `version_published`. */
  async removeVersion(revisionId: string): Promise<void> {
    await this.#changeVersion(revisionId, async (rows, version) => {
      if (version.status === 'published')
        throw conflict(
          'version_published',
          'a published version cannot be removed; publish another one first',
        );
      await rows.removeVersion(revisionId);
      return version;
    });
  }

  /** Changes what a workflow is called. Throws an `HttpProblem` (404). */
  async describe(
    id: string,
    change: Partial<Pick<StoredDefinition, 'name' | 'description' | 'skipApproval'>>,
  ): Promise<StoredDefinition> {
    return this.write(async (rows) => {
      const definition = await rows.lock(id);
      if (definition === undefined) throw notFound('definition', id);
      const changed = { ...definition, ...change, updatedAt: new Date().toISOString() };
      await rows.update(changed);
      return changed;
    });
  }

  /** Removes a workflow with its versions; runs keep what they pinned. False when there was none. */
  async remove(id: string): Promise<boolean> {
    return this.write(async (rows) => {
      if ((await rows.lock(id)) === undefined) return false;
      await rows.remove(id);
      return true;
    });
  }

  async #store(rows: DefinitionRows, content: NewContent): Promise<DefinitionView> {
    const { id } = content;
    if (this.options.configured().includes(id))
      throw conflict('definition_configured', `'${id}' is a workflow of lait.config.yml; choose another id`);
    return storeContent(rows, content);
  }

  async #changeVersion(
    revisionId: string,
    change: (rows: DefinitionRows, version: StoredVersion) => Promise<StoredVersion>,
  ): Promise<StoredVersion> {
    return this.write(async (rows) => {
      const found = await rows.version({ revisionId });
      if (found === undefined) throw notFound('definition version', revisionId);
      const definition = await rows.lock(found.definitionId);
      const version = await rows.version({ revisionId });
      if (definition === undefined || version === undefined) throw notFound('definition version', revisionId);
      const changed = await change(rows, version);
      await rows.update({ ...definition, updatedAt: new Date().toISOString() });
      return changed;
    });
  }

  #requireValid(id: string, { diagnostics }: CheckedDefinition): void {
    const errors = diagnostics.filter(isError);
    if (errors.length === 0) return;
    throw new DefinitionError({
      code: 'definition_invalid',
      message: `'${id}' has ${errors.length === 1 ? 'a problem' : `${errors.length} problems`}`,
      diagnostics,
    });
  }

  async #world(): Promise<ServerWorld> {
    const signatures = new Map<string, CallSignature>();
    for (const id of this.options.configured()) signatures.set(id, {});
    const published = await this.read((rows) => rows.allPublished());
    for (const { definitionId, content } of published) signatures.set(definitionId, signatureOf(content));
    return { ...this.options.world, signatures };
  }
}

function signatureOf(content: DefinitionContent): CallSignature {
  if (typeof content === 'string') return {};
  const { inputSchema, outputSchema } = content;
  return {
    ...(isObject(inputSchema) && { inputSchema }),
    ...(isObject(outputSchema) && { outputSchema }),
  } as CallSignature;
}

function requireDraft({ status, version }: StoredVersion): void {
  if (status === 'draft') return;
  throw new HttpProblem({
    status: 409,
    code: 'version_not_draft',
    detail: `version ${version} is ${status}; only drafts change`,
    members: { version_status: status },
  });
}

/** Under another id than its own a definition that names itself could not be found by those who call it. */
function requireOwnId({ id, form, content }: NewContent): void {
  const own = typeof content === 'string' ? undefined : content.id;
  if (dialectOf(form).namesItself && typeof own === 'string' && own !== id)
    throw unprocessable('id_differs', `the definition calls itself '${own}', not '${id}'`);
}
