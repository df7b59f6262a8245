import { resolve } from 'node:path';
import { buildServices, type LaitServices } from './config/build-services.js';
import type { Configuration, ConfigurationValues } from './config/configuration.js';
import type { AgentDefinition } from './config/define-agent.js';
import { dynamicFileOptions } from './config/dynamic-file-options.js';
import type { Variables } from './config/environment.js';
import { lintPlanText, planOfDefinition, planOfFile, planOfPinned } from './config/load-plan.js';
import { isWorkflowPath } from './config/workflow-service.js';
import type { FormOptions } from './dialects/dialect.js';
import type { DefinitionStore } from './dialects/dynamic/definition-store.js';
import type {
  DynamicWorkflow,
  DynamicWorkflows,
  SkippedDefinition,
} from './dialects/dynamic/dynamic-workflows.js';
import type { Classifier } from './dialects/dynamic/lower.js';
import type { GraphReport } from './dialects/graph/index.js';
import { dialectOf } from './dialects/index.js';
import type { RunEvent } from './engine/events.js';
import type { Answerer } from './engine/runtimes/memory.js';
import { LaitError } from './errors/lait-error.js';
import { kinds } from './kinds/index.js';
import type { Capability } from './kinds/services.js';
import type { Diagnostic } from './plan/diagnostic.js';
import type { Plan } from './plan/plan.js';
import type { SpendingLimits } from './plan/spending-limits.js';
import { runPlan } from './run-plan.js';
import type { RunController } from './runs/run-controller.js';
import type { RunRecord } from './runs/run-record.js';
import type { RunStore } from './runs/run-store.js';
import type { DefinedTool } from './tools/define-tool.js';
import type { Approve } from './tools/tool-approval.js';
import { SecretRegistry } from './values/secrets.js';
import type { JsonObject, Value } from './values/value.js';
import { Workflow } from './workflow.js';

/** What `createLait` takes. Everything is optional. */
export interface LaitOptions {
  /**
   * The configuration: a path, the values themselves, one that was loaded, or false for none. Default: lait.config.yml
   * from the working directory upwards over the user's global file.
   */
  config?: string | false | ConfigurationValues | Configuration;
  /** Where relative paths, outputs and programs are looked up. Default: the process's. */
  workingDirectory?: string;
  /** What `${VAR}` and inherited processes see. Default: the process's environment. */
  variables?: Variables;
  /** Adds the variables of a `.env` file in the working directory. Default false. */
  dotenv?: boolean;
  /** Tools given in code, by name; made with `defineTool`. */
  tools?: Readonly<Record<string, DefinedTool>>;
  /** Agents given in code, by name, before those of the configuration. */
  agents?: Readonly<Record<string, AgentDefinition>>;
  /** What `classifierId` of the dynamic form may name. */
  classifiers?: Readonly<Record<string, Classifier>>;
  /** Honours every JSON Schema keyword in the dynamic form. Default false. */
  strictSchemas?: boolean;
  /** Capabilities of the graph form given in code; made with `defineCapability`. */
  capabilities?: readonly Capability[];
  /** Keeps dynamic definitions: those that it holds are registered before `createLait` resolves. */
  definitionStore?: DefinitionStore;
  /** Told of each stored definition that could not be registered, and why; it is left out. */
  onSkippedDefinition?: (skipped: SkippedDefinition) => void;
  /** Where `runs()` keeps its runs; a function opens it when it is first needed. Default: in memory. */
  store?: RunStore | (() => Promise<RunStore>);
  /** Told of everything that happens in the runs of `runs()`, in order; what a run only replays is left out. */
  onRunEvent?: (runId: string, event: RunEvent) => void;
  /** Keeps every model reply as a file in this directory. */
  recordDirectory?: string;
  /** Answers model requests from the files of this directory only; no server is reached. */
  replayDirectory?: string;
  /** Whether the response cache answers equal requests. Default: what the configuration says, else false. */
  cache?: boolean;
  /** Asks for replies piece by piece: `model.token` events. Default false. */
  streaming?: boolean;
  /** Says in notes why a reply did or did not come from the response cache. Default false. */
  explaining?: boolean;
  /** What each run may spend, item by item instead of what workflows and the configuration say. */
  limits?: SpendingLimits;
  /** Answers a step's question at once; `undefined` leaves it open and the run parks. */
  answer?: Answerer;
  /** Asks a person before each tool call. Default: nobody is asked. */
  approve?: Approve;
  /** The values that must never be shown. Default: a registry of its own, filled as keys are used. */
  secrets?: SecretRegistry;
  /** Told what MCP servers print to standard error. */
  onServerLog?: (server: string, line: string) => void;
  signal?: AbortSignal;
}

export interface LoadOptions {
  /** How messages and events call the workflow. Default: the path as given. */
  name?: string;
  signal?: AbortSignal;
  /** Told of every warning about the definition. */
  onWarning?: (diagnostic: Diagnostic) => void;
}

/** A configured lait: loads and runs workflows of all forms. Make one with `createLait`, and close it at the end. */
export class Lait {
  readonly configuration: Configuration;
  readonly #options: LaitOptions & { workingDirectory: string; variables: Variables };
  readonly #services: LaitServices;
  readonly #secrets: SecretRegistry;
  #dynamic: DynamicWorkflows | undefined;
  #runs: Promise<RunController> | undefined;

  /** @internal */
  constructor(
    configuration: Configuration,
    options: LaitOptions & { workingDirectory: string; variables: Variables },
  ) {
    this.configuration = configuration;
    this.#options = options;
    const { workingDirectory, variables, secrets = new SecretRegistry() } = options;
    this.#secrets = secrets;
    this.#services = buildServices({
      ...options,
      configuration,
      secrets,
      environment: { workingDirectory, variables },
      workflows: {
        planOf: (id) => this.#dynamic?.planOf(id),
        ids: () => this.#dynamic?.listWorkflows().map(({ id }) => id) ?? [],
      },
    });
  }

  /**
   * Loads a workflow of any form: a path, a name under `workflows:` of the configuration, or the definition itself.
   * Throws a `DefinitionError` with every problem that was found. `Result` is the type that the caller knows the
   * workflow's result to have; it is not checked.
   */
  async load<Result = Value>(
    workflow: string | JsonObject,
    options: LoadOptions = {},
  ): Promise<Workflow<Result>> {
    const { workingDirectory } = this.#options;
    if (typeof workflow !== 'string')
      return this.#workflow(await planOfDefinition(workflow, workingDirectory, this.#formOptions));
    const registered = isWorkflowPath(workflow) ? undefined : this.configuration.values.workflows?.[workflow];
    const path = resolve(workingDirectory, registered ?? workflow);
    return this.#workflow(await planOfFile(path, { name: workflow, ...this.#formOptions, ...options }));
  }

  /**
   * Checks a bundle of dynamic workflows as a whole and registers it: all of its definitions, or none. Other workflows
   * may call them by id. Throws a `DynamicWorkflowError` that holds the issues of the first refused definition.
   */
  async addDynamicWorkflows(
    definitions: Parameters<DynamicWorkflows['addDynamicWorkflows']>[0],
  ): Promise<void> {
    this.#dynamic ??= await this.#startDynamic();
    await this.#dynamic.addDynamicWorkflows(definitions);
  }

  /** Registers one dynamic workflow; see `addDynamicWorkflows`. */
  addDynamicWorkflow(definition: Parameters<DynamicWorkflows['addDynamicWorkflow']>[0]): Promise<void> {
    return this.addDynamicWorkflows([definition]);
  }

  /**
   * Takes a dynamic workflow out of the registry and the definition store; runs under way and workflows that call it
   * keep it. False when there was none.
   */
  async removeWorkflow(id: string): Promise<boolean> {
    this.#dynamic ??= await this.#startDynamic();
    return this.#dynamic.removeWorkflow(id);
  }

  /** The registered dynamic workflows. */
  listWorkflows(): readonly DynamicWorkflow[] {
    return this.#dynamic?.listWorkflows() ?? [];
  }

  /** @internal Registers what the definition store holds. */
  async restoreDynamicWorkflows(): Promise<void> {
    this.#dynamic ??= await this.#startDynamic();
    const { skipped } = await this.#dynamic.restore();
    for (const each of skipped) this.#options.onSkippedDefinition?.(each);
  }

  /** A registered dynamic workflow: `createRun()` makes a run. Throws a `LaitError` (code `workflow_unknown`). */
  getWorkflow(id: string): DynamicWorkflow {
    const workflow = this.#dynamic?.getWorkflow(id);
    if (workflow !== undefined) return workflow;
    throw new LaitError({ code: 'workflow_unknown', message: `no workflow '${id}' is registered` });
  }

  /** Every issue of a graph, held against the capabilities and agents that are registered. Never throws for it. */
  async checkGraph(graph: JsonObject): Promise<GraphReport> {
    const { checkGraphDefinition } = await import('./dialects/graph/index.js');
    const { agents, capabilities } = this.#services;
    const names = new Set(agents.registeredNames());
    return checkGraphDefinition(graph, { agents: names, capabilities, ...this.#graphLimits });
  }

  /**
   * Every problem of what a kept run runs, held against what is registered here: a run of another program may need tools
   * that only that one has. Never throws for it.
   */
  async checkRun({ definition }: Pick<RunRecord, 'definition'>): Promise<readonly Diagnostic[]> {
    const { diagnostics } = await lintPlanText(definition.sources[0]!, this.#formOptions);
    return diagnostics.filter(({ severity }) => severity === 'error');
  }

  /**
   * Runs that are kept: they can wait for approval, answers and decisions, be cancelled, resumed and repeated, and be
   * looked at afterwards. Always the same controller, over the `store` of the options.
   */
  runs(): Promise<RunController> {
    this.#runs ??= this.#startRuns();
    return this.#runs;
  }

  /** Shuts down what runs have started: MCP servers with their processes. */
  close(): Promise<void> {
    return this.#services.close();
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.close();
  }

  /** Imported when it is needed: programs that run files only do not pay for it. */
  async #startDynamic(): Promise<DynamicWorkflows> {
    const { DynamicWorkflows } = await import('./dialects/dynamic/dynamic-workflows.js');
    const { classifiers, strictSchemas, definitionStore } = this.#options;
    const { workflows = {} } = this.configuration.values;
    return new DynamicWorkflows({
      services: () => this.#services.forRun(),
      classifiers,
      strictSchemas,
      store: definitionStore,
      // What a file takes and gives is known only when it is read.
      otherWorkflow: (id) => (Object.hasOwn(workflows, id) ? {} : undefined),
      otherWorkflowNames: () => Object.keys(workflows),
    });
  }

  /** Imported when it is needed: runs that nobody keeps do not pay for it. */
  async #startRuns(): Promise<RunController> {
    const { RunController } = await import('./runs/run-controller.js');
    const { MemoryRunStore } = await import('./runs/memory-run-store.js');
    const { store, onRunEvent } = this.#options;
    return new RunController({
      store: typeof store === 'function' ? await store() : (store ?? new MemoryRunStore()),
      kinds,
      services: ({ sources }) => this.#services.forRun(sources.slice(1)),
      load: ({ definition }) => planOfPinned(definition, this.#formOptions),
      onEvent: onRunEvent,
      secrets: this.#secrets,
      timeZone: this.configuration.values.graph?.time_zone,
    });
  }

  get #formOptions(): FormOptions {
    const { classifiers, strictSchemas } = this.#options;
    return {
      graphLimits: this.#graphLimits,
      dynamic: () =>
        dynamicFileOptions({
          services: this.#services.forRun(),
          workflows: [
            ...Object.keys(this.configuration.values.workflows ?? {}),
            ...this.listWorkflows().map(({ id }) => id),
          ],
          classifiers,
          strictSchemas,
        }),
    };
  }

  get #graphLimits() {
    const { max_nodes: maxNodes, max_edges: maxEdges } = this.configuration.values.graph ?? {};
    return { maxNodes, maxEdges };
  }

  #workflow<Result>(plan: Plan): Workflow<Result> {
    const { answer } = this.#options;
    return new Workflow<Result>(plan, (call, options) => {
      const services = this.#services.forRun();
      const time_zone = this.configuration.values.graph?.time_zone;
      const context: JsonObject =
        dialectOf(plan.form).readsTime && time_zone !== undefined ? { time_zone } : {};
      return runPlan(plan, { ...call, context }, { ...options, services, answerer: answer });
    });
  }
}
