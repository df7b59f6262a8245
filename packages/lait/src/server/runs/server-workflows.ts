import { realpath } from 'node:fs/promises';
import { dirname, isAbsolute, relative, resolve, sep } from 'node:path';
import type { Configuration } from '../../config/configuration.js';
import { planOfFile, planOfPinned } from '../../config/load-plan.js';
import { checkCallers, isWorkflowPath } from '../../config/workflow-service.js';
import { detectFormOfText } from '../../dialects/detect.js';
import { DefinitionError } from '../../errors/errors.js';
import type { WorkflowService } from '../../kinds/services.js';
import type { Plan } from '../../plan/plan.js';
import type { SourceFile } from '../../plan/source.js';
import { didYouMean } from '../../plan/suggest.js';
import { ownProperty } from '../../values/value.js';
import { lowerContent } from '../definitions/check-definition.js';
import type { DefinitionService } from '../definitions/definition-service.js';
import type { Permission } from '../definitions/reach.js';

export interface ServerWorkflowsOptions {
  configuration: Configuration;
  definitions: DefinitionService;
  workingDirectory: string;
  allowed: readonly Permission[];
  /** Workflows as they were when the run was created, by origin; others are taken as they are now. */
  pinned?: readonly SourceFile[];
}

/**
 * The workflows that workflows of this server may call: pinned ones, those of the configuration, and stored ones. Paths
 * are followed from files only, and never out of the directories that the configuration names. Each is loaded once.
 */
export class ServerWorkflows implements WorkflowService {
  readonly #options: ServerWorkflowsOptions;
  readonly #pinned: ReadonlyMap<string, SourceFile>;
  readonly #loaded = new Map<string, Promise<Plan>>();

  constructor(options: ServerWorkflowsOptions) {
    this.#options = options;
    this.#pinned = new Map((options.pinned ?? []).map((source) => [source.file, source]));
  }

  async load(
    reference: string,
    directory: string | undefined,
    { signal, callers }: { signal: AbortSignal; callers: readonly string[] },
  ): Promise<Plan> {
    const path = isWorkflowPath(reference)
      ? this.#allowedPath(reference, directory)
      : ownProperty(this.#options.configuration.values.workflows ?? {}, reference);
    if (typeof path !== 'string') {
      checkCallers(reference, undefined, callers);
      return this.#once(reference, () => this.#stored(reference));
    }
    const origin = await realpath(path).catch(() => path);
    if (isWorkflowPath(reference)) this.#requireInside(origin, reference);
    checkCallers(origin, undefined, callers);
    return this.#once(origin, () => this.#file(path, origin, reference, signal));
  }

  #once(origin: string, load: () => Promise<Plan>): Promise<Plan> {
    let plan = this.#loaded.get(origin);
    if (plan === undefined) {
      plan = load();
      this.#loaded.set(origin, plan);
      plan.catch(() => this.#loaded.delete(origin));
    }
    return plan;
  }

  #file(path: string, origin: string, name: string, signal: AbortSignal): Promise<Plan> {
    const pinned = this.#pinned.get(origin);
    if (pinned === undefined) return planOfFile(path, { name, signal });
    const form = detectFormOfText(pinned.text);
    const source = { file: name, text: pinned.text };
    return planOfPinned({ form, id: name, origin, directory: dirname(path), sources: [source] });
  }

  async #stored(id: string): Promise<Plan> {
    const pinned = this.#pinned.get(id);
    if (pinned !== undefined)
      return lowerContent({ id, form: detectFormOfText(pinned.text), content: pinned.text });
    const { definitions, configuration } = this.#options;
    const version = await definitions.published(id);
    if (version !== undefined) {
      const { definition } = await definitions.get(id);
      return lowerContent({ id, form: definition.form, content: version.content });
    }
    const known = [
      ...Object.keys(configuration.values.workflows ?? {}),
      ...(await definitions.list({ limit: 1000 })).map((stored) => stored.id),
    ];
    const hint = didYouMean(id, known);
    throw new DefinitionError({
      code: 'unknown_workflow',
      message: `there is no workflow '${id}' on this server${hint === undefined ? '' : `; ${hint}`}`,
      diagnostics: [],
    });
  }

  #allowedPath(reference: string, directory: string | undefined): string {
    const fromFile = directory !== undefined && isAbsolute(directory);
    if (!fromFile && !this.#options.allowed.includes('files')) throw outside(reference);
    return resolve(fromFile ? directory : this.#options.workingDirectory, reference);
  }

  /** A link must not lead out either, so the canonical path is compared. */
  #requireInside(origin: string, reference: string): void {
    const { workingDirectory, configuration } = this.#options;
    const roots = [workingDirectory, ...Object.values(configuration.values.workflows ?? {}).map(dirname)];
    if (!roots.some((root) => isInside(root, origin))) throw outside(reference);
  }
}

function isInside(root: string, path: string): boolean {
  const way = relative(root, path);
  return way !== '..' && !way.startsWith(`..${sep}`) && !isAbsolute(way);
}

function outside(reference: string): DefinitionError {
  return new DefinitionError({
    code: 'workflow_outside',
    message: `the workflow file '${reference}' cannot be called from here: name a workflow of this server instead`,
    diagnostics: [],
  });
}
