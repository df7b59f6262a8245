import { realpath } from 'node:fs/promises';
import { isAbsolute, relative, resolve } from 'node:path';
import { DefinitionError, StepError } from '../errors/errors.js';
import type { WorkflowService } from '../kinds/services.js';
import type { Plan } from '../plan/plan.js';
import { didYouMean } from '../plan/suggest.js';
import { ownProperty } from '../values/value.js';

/** Loads the file at a path; `name` is how messages and events call it. */
export type LoadPlan = (path: string, options: { name: string; signal: AbortSignal }) => Promise<Plan>;

/** Workflows that were registered in code, by id. */
export interface AddedWorkflows {
  planOf(id: string): Plan | undefined;
  ids(): readonly string[];
}

export interface WorkflowServiceOptions {
  workingDirectory: string;
  /** `workflows:` of the configuration, with absolute paths. */
  registered: Readonly<Record<string, string>>;
  loadPlan: LoadPlan;
  /** Workflows given in code. */
  added?: AddedWorkflows;
}

/** More workflows inside one another than this are refused. Source: facts §10. */
const deepest = 32;

/** Whether a reference is a path rather than a registered name. Source: steps seed, `workflow`. */
export function isWorkflowPath(reference: string): boolean {
  return reference.includes('/') || /\.(ya?ml|json)$/.test(reference);
}

/** Finds the workflows that others call: by path or registered name, each file loaded once. Source: facts §10. */
export class ConfiguredWorkflows implements WorkflowService {
  readonly #options: WorkflowServiceOptions;
  readonly #loaded = new Map<string, Promise<Plan>>();

  constructor(options: WorkflowServiceOptions) {
    this.#options = options;
  }

  async load(
    reference: string,
    directory: string | undefined,
    options: { signal: AbortSignal; callers: readonly string[] },
  ): Promise<Plan> {
    if (!isWorkflowPath(reference)) {
      const added = this.#options.added?.planOf(reference);
      if (added !== undefined) return checkCallers(added.origin, added, options.callers);
    }
    const path = isWorkflowPath(reference)
      ? resolve(directory ?? this.#options.workingDirectory, reference)
      : this.#registeredPath(reference);
    // The canonical path is compared before the file is opened: a cycle through links is found, too.
    const origin = await realpath(path).catch(() => path);
    checkCallers(origin, undefined, options.callers);
    let plan = this.#loaded.get(origin);
    if (plan === undefined) {
      plan = this.#options.loadPlan(path, { name: this.#displayed(path), signal: options.signal });
      this.#loaded.set(origin, plan);
      plan.catch(() => this.#loaded.delete(origin));
    }
    return plan;
  }

  #registeredPath(name: string): string {
    const path = ownProperty(this.#options.registered, name);
    if (typeof path === 'string') return path;
    const known = [...Object.keys(this.#options.registered), ...(this.#options.added?.ids() ?? [])];
    const hint = didYouMean(name, known);
    throw new DefinitionError({
      code: 'unknown_workflow',
      message: `no workflow '${name}' is registered under workflows: of lait.config.yml${hint === undefined ? '' : `; ${hint}`}`,
      diagnostics: [],
    });
  }

  /** Relative to the working directory when it lies below it. */
  #displayed(path: string): string {
    const name = relative(this.#options.workingDirectory, path);
    return name.startsWith('..') || isAbsolute(name) ? path : name;
  }
}

/** Refuses cycles and a nesting that is too deep: throws a `StepError` (`workflow_cycle`, `workflow_too_deep`). */
export function checkCallers<T>(origin: string, plan: T, callers: readonly string[]): T {
  const first = callers.indexOf(origin);
  if (first >= 0) {
    const cycle = [...callers.slice(first), origin].join(' → ');
    throw new StepError({
      code: 'workflow_cycle',
      message: `workflows call each other in a cycle: ${cycle}`,
    });
  }
  if (callers.length >= deepest) {
    throw new StepError({
      code: 'workflow_too_deep',
      message: `workflows are nested more than ${deepest} deep`,
    });
  }
  return plan;
}
