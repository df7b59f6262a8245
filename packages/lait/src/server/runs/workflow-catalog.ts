import type { LaitServices } from '../../config/build-services.js';
import { planOfFile, planOfPinned } from '../../config/load-plan.js';
import { DefinitionError } from '../../errors/errors.js';
import type { Services } from '../../kinds/services.js';
import type { Plan } from '../../plan/plan.js';
import type { RunDefinition, RunRecord } from '../../runs/run-record.js';
import { ownProperty } from '../../values/value.js';
import { lowerContent } from '../definitions/check-definition.js';
import { reachProblems } from '../definitions/reach.js';
import { conflict, type HttpProblem, notFound } from '../http/problem.js';
import { ServerWorkflows, type ServerWorkflowsOptions } from './server-workflows.js';

export interface WorkflowCatalogOptions extends Omit<ServerWorkflowsOptions, 'pinned'> {
  services: LaitServices;
}

/** A workflow as a new run takes it. */
export interface RunnableWorkflow {
  plan: Plan;
  /** Runs begin without a person's consent. */
  skipApproval: boolean;
  /** Of a stored one. */
  version?: number;
  revisionId?: string;
}

/** So many lowered plans are kept. */
const keptPlans = 200;

/** Everything that can be run here, and what runs need of it: plans by their pinned sources, services, children. */
export class WorkflowCatalog {
  readonly #options: WorkflowCatalogOptions;
  readonly #plans = new Map<string, Promise<Plan>>();

  constructor(options: WorkflowCatalogOptions) {
    this.#options = options;
  }

  /** Names of the workflows that the configuration lists. */
  configuredIds(): string[] {
    return Object.keys(this.#options.configuration.values.workflows ?? {});
  }

  /**
   * The workflow of an id: the configuration's, or the stored one in its published or in the given version. Throws an
   * `HttpProblem` (404 `workflow_not_found`, 409 `workflow_not_published`), or a `DefinitionError`.
   */
  async find(id: string, which: { version?: number; revisionId?: string } = {}): Promise<RunnableWorkflow> {
    const path = ownProperty(this.#options.configuration.values.workflows ?? {}, id);
    if (typeof path === 'string') {
      const plan = { ...(await planOfFile(path, { name: id })), id };
      return { plan, skipApproval: false };
    }
    const { definitions } = this.#options;
    const chosen = await definitions.runnable(id, which);
    if (chosen === undefined) throw await this.#notRunnable(id, which);
    const { revisionId, version, form, skipApproval } = chosen;
    const plan = await this.#kept(revisionId, async () => {
      const { content } = await definitions.version({ revisionId });
      return lowerContent({ id, form, content });
    });
    this.#requireAllowed(plan);
    return { plan, skipApproval, version, revisionId };
  }

  async #notRunnable(id: string, { version }: { version?: number }): Promise<HttpProblem> {
    const { definitions } = this.#options;
    const versions = await definitions.read(async (rows) => (await rows.find(id)) && rows.versions(id));
    if (versions === undefined) return notFound('workflow', id);
    if (version !== undefined && versions.every((one) => one.version !== version))
      return notFound('definition version', `${id}/${version}`);
    return conflict('workflow_not_published', `'${id}' has no published version: publish one first`);
  }

  /** The plan of a run's pinned definition. */
  async load({ definition }: Pick<RunRecord, 'definition'>): Promise<Plan> {
    const { form, id, origin, directory = '', sources } = definition;
    const key = [form, id, origin, directory, sources[0]?.text ?? ''].join('\0');
    const plan = await this.#kept(key, () => planOfPinned(definition));
    // What else a run has pinned is its own.
    return { ...plan, sources };
  }

  /** Services for one pass of a run: the workflows and agents that it calls are those that were pinned. */
  servicesFor(definition: RunDefinition): Services {
    const pinned = definition.sources.slice(1);
    const workflows = new ServerWorkflows({ ...this.#options, pinned });
    return { ...this.#options.services.forRun(pinned), workflows };
  }

  /** What was allowed when it was stored may not be any more. */
  #requireAllowed(plan: Plan): void {
    const diagnostics = reachProblems(plan, this.#options.allowed);
    if (diagnostics.length === 0) return;
    const message = `'${plan.id}' does what definitions on this server may not`;
    throw new DefinitionError({ code: 'not_allowed_here', message, diagnostics });
  }

  #kept(key: string, load: () => Promise<Plan>): Promise<Plan> {
    let plan = this.#plans.get(key);
    this.#plans.delete(key);
    plan ??= load();
    this.#plans.set(key, plan);
    plan.catch(() => this.#plans.delete(key));
    const [oldest] = this.#plans.keys();
    if (this.#plans.size > keptPlans && oldest !== undefined) this.#plans.delete(oldest);
    return plan;
  }
}
