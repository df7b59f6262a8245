import { randomUUID } from 'node:crypto';
import { isLaitError, LaitError } from '../../errors/lait-error.js';
import type { Services } from '../../kinds/services.js';
import type { Diagnostic } from '../../plan/diagnostic.js';
import type { Plan } from '../../plan/plan.js';
import { didYouMean } from '../../plan/suggest.js';
import { startPlan } from '../../run-plan.js';
import { circularBundle, idOf, orderByDependency, requireUniqueIds } from './bundle.js';
import type { CallSignature, Catalog } from './catalog.js';
import { checkDefinition } from './check.js';
import type { DynamicWorkflowDefinition, UncheckedDefinition } from './definition.js';
import type { DefinitionStore } from './definition-store.js';
import { toDiagnostics } from './diagnostics.js';
import { DynamicRun, type StartPlan } from './dynamic-run.js';
import { type Findings, refusalOf } from './issue.js';
import { type Classifier, lowerDefinition } from './lower.js';
import { prepareDefinition } from './prepare.js';
import { catalogOfServices } from './service-catalog.js';

export interface DynamicWorkflowsOptions {
  /** Services for one run. */
  services(): Services;
  /** What `classifierId` may name. */
  classifiers?: Readonly<Record<string, Classifier>>;
  /** Keeps definitions over restarts; without one they last as long as the process. */
  store?: DefinitionStore;
  /** Honours every JSON Schema keyword, and fails a step whose tool breaks its own output schema. Default false. */
  strictSchemas?: boolean;
  /** Workflows of other forms that `workflowId` may name, by id. */
  otherWorkflow?(id: string): CallSignature | undefined;
  otherWorkflowNames?(): readonly string[];
  /** Runs a plan; default in memory. */
  startPlan?: StartPlan;
}

/** A stored definition that was left out at the start, and why. */
export interface SkippedDefinition {
  id: string;
  error: Error;
}

/** The registry of dynamic workflows: definitions are checked, lowered, kept and run. Source: dynamic facts §1.3. */
export class DynamicWorkflows {
  readonly #options: DynamicWorkflowsOptions;
  readonly #registered = new Map<string, DynamicWorkflow>();

  constructor(options: DynamicWorkflowsOptions) {
    this.#options = options;
  }

  /** Registers one definition; see `addDynamicWorkflows`. */
  addDynamicWorkflow(
    definition: DynamicWorkflowDefinition | Readonly<Record<string, unknown>>,
  ): Promise<void> {
    return this.addDynamicWorkflows([definition]);
  }

  /**
   * Registers definitions that may call each other: all of them, or none. A known id is replaced; runs under way and
   * workflows that call the earlier one keep it. Throws a `DynamicWorkflowError` for the first definition that is
   * refused, with its issues and all diagnostics of the bundle.
   */
  async addDynamicWorkflows(
    definitions: readonly (DynamicWorkflowDefinition | Readonly<Record<string, unknown>>)[],
  ): Promise<void> {
    const members = definitions.map(prepareDefinition);
    requireUniqueIds(members);
    const catalog = await this.#catalog(members);
    const findings = new Map(members.map((member) => [member, this.#check(member, catalog)]));
    const diagnostics = [...findings.values()].flatMap((each) => toDiagnostics(each));
    for (const [member, each] of findings) {
      if (each.issues.length > 0) throw refusalOf(idOf(member), each, diagnostics);
    }
    const { ordered, circular } = orderByDependency(members);
    if (circular.length > 0) throw circularBundle(circular);
    for (const member of ordered) {
      const each = findings.get(member)!;
      if (each.problems.length > 0) throw refusalOf(idOf(member), each, diagnostics);
    }
    const added = this.#lower(ordered, catalog, findings);
    await this.#options.store?.save([...added.values()].map(({ id, definition }) => ({ id, definition })));
    for (const [id, workflow] of added) this.#registered.set(id, workflow);
  }

  /** Takes a workflow out of the registry and the store. False when there was none. */
  async removeWorkflow(id: string): Promise<boolean> {
    await this.#options.store?.remove(id);
    return this.#registered.delete(id);
  }

  /** Throws a `LaitError` (code `workflow_unknown`) when nothing is registered under the id. */
  getWorkflow(id: string): DynamicWorkflow {
    const workflow = this.#registered.get(id);
    if (workflow !== undefined) return workflow;
    const hint = didYouMean(id, this.#registered.keys());
    throw new LaitError({
      code: 'workflow_unknown',
      message: `no workflow '${id}' is registered${hint === undefined ? '' : `; ${hint}`}`,
    });
  }

  listWorkflows(): readonly DynamicWorkflow[] {
    return [...this.#registered.values()];
  }

  /** The plans by id, for workflows of other forms that call these. */
  planOf(id: string): Plan | undefined {
    return this.#registered.get(id)?.plan;
  }

  /**
   * Registers what the store holds, in dependency order. A row that is refused is left out together with what calls
   * it, and reported: one bad row never keeps the others away.
   */
  async restore(): Promise<{ restored: string[]; skipped: SkippedDefinition[] }> {
    const restored: string[] = [];
    const skipped: SkippedDefinition[] = [];
    const skip = (id: string, error: unknown) =>
      skipped.push({ id, error: error instanceof Error ? error : new Error(String(error)) });
    const rows: UncheckedDefinition[] = [];
    for (const { id, definition } of (await this.#options.store?.list()) ?? []) {
      try {
        rows.push(prepareDefinition(definition));
      } catch (error) {
        skip(id, error);
      }
    }
    const { ordered, circular } = orderByDependency(rows);
    const left = new Set(circular);
    for (const row of rows) if (left.has(idOf(row))) skip(idOf(row), circularBundle(circular));
    for (const row of ordered) {
      try {
        this.#restoreRow(row, await this.#catalog([]));
        restored.push(idOf(row));
      } catch (error) {
        if (!isLaitError(error)) throw error;
        skip(idOf(row), error);
      }
    }
    return { restored, skipped };
  }

  #restoreRow(row: UncheckedDefinition, catalog: Catalog): void {
    const findings = this.#check(row, catalog);
    if (findings.issues.length + findings.problems.length > 0) {
      throw refusalOf(idOf(row), findings, toDiagnostics(findings));
    }
    for (const [id, workflow] of this.#lower([row], catalog, new Map([[row, findings]]))) {
      this.#registered.set(id, workflow);
    }
  }

  #check(definition: UncheckedDefinition, catalog: Catalog): Findings {
    return checkDefinition(definition, catalog, { strictSchemas: this.#options.strictSchemas });
  }

  #catalog(members: readonly UncheckedDefinition[]): Promise<Catalog> {
    const { classifiers = {}, otherWorkflow, otherWorkflowNames } = this.#options;
    const bundle = new Map(members.map((member) => [idOf(member), member]));
    return catalogOfServices({
      services: this.#options.services(),
      classifiers,
      workflow: (id) => {
        const definition = bundle.get(id) ?? this.#registered.get(id)?.definition;
        return definition === undefined
          ? otherWorkflow?.(id)
          : { inputSchema: definition.inputSchema, outputSchema: definition.outputSchema };
      },
      workflowNames: () => [...bundle.keys(), ...this.#registered.keys(), ...(otherWorkflowNames?.() ?? [])],
    });
  }

  /** Lowers definitions that come in dependency order: each call is bound to the workflow that there is now. */
  #lower(
    ordered: readonly UncheckedDefinition[],
    catalog: Catalog,
    findings: ReadonlyMap<UncheckedDefinition, Findings>,
  ): Map<string, DynamicWorkflow> {
    const { classifiers = {}, strictSchemas = false } = this.#options;
    const added = new Map<string, DynamicWorkflow>();
    for (const definition of ordered) {
      const id = idOf(definition);
      const plan = lowerDefinition(definition, {
        source: { file: `<definition ${id}>`, text: JSON.stringify(definition) },
        origin: id,
        strictSchemas,
        boundWorkflow: (called) => added.get(called)?.plan ?? this.#registered.get(called)?.plan,
        classifier: (name) => (Object.hasOwn(classifiers, name) ? classifiers[name] : undefined),
        isAgent: (name) => catalog.agent(name),
        unusableTool: (key) => {
          const tool = catalog.tool(key);
          return tool !== undefined && (tool.inputSchema === undefined || tool.outputSchema === undefined);
        },
      });
      const { warnings } = findings.get(definition)!;
      const diagnostics = toDiagnostics({ issues: [], problems: [], warnings });
      added.set(id, new DynamicWorkflow(id, definition, plan, diagnostics, this.#options));
    }
    return added;
  }
}

/** A registered workflow. */
export class DynamicWorkflow {
  readonly #options: DynamicWorkflowsOptions;

  constructor(
    readonly id: string,
    /** The definition as it was registered: plain JSON. */
    readonly definition: UncheckedDefinition,
    readonly plan: Plan,
    /** What is allowed and most likely not meant. */
    readonly warnings: readonly Diagnostic[],
    options: DynamicWorkflowsOptions,
  ) {
    this.#options = options;
  }

  /** A new run of the workflow as it is now; it keeps this definition when the id is registered anew. */
  async createRun(options: { runId?: string } = {}): Promise<DynamicRun> {
    const { services, startPlan: start = startPlan } = this.#options;
    return new DynamicRun({
      plan: this.plan,
      runId: options.runId ?? randomUUID(),
      services,
      startPlan: start,
    });
  }
}
