import { realpath } from 'node:fs/promises';
import { resolve } from 'node:path';
import type { GraphWorld, LintedWorkflow } from '../dialects/dialect.js';
import { DefinitionError } from '../errors/errors.js';
import { isLaitError, messageChain } from '../errors/lait-error.js';
import { kinds } from '../kinds/index.js';
import type { ModelUse } from '../kinds/kind.js';
import type { Services } from '../kinds/services.js';
import { allNodes } from '../plan/all-nodes.js';
import { checkConditions } from '../plan/analysis/check-conditions.js';
import { checkNames, checkSelection, type RegisteredNames } from '../plan/analysis/check-names.js';
import { checkRetries } from '../plan/analysis/check-retries.js';
import { checkTypes } from '../plan/analysis/check-types.js';
import { Findings } from '../plan/analysis/located-plan.js';
import { schemasOf } from '../plan/analysis/schema-fields.js';
import type { Diagnostic } from '../plan/diagnostic.js';
import type { DiagnosticCode } from '../plan/diagnostic-codes.js';
import type { Plan, PlanNode } from '../plan/plan.js';
import type { SourceFile } from '../plan/source.js';
import { loadSchema } from '../schema/load-schema.js';
import type { JsonObject } from '../values/value.js';
import { dynamicFileOptions } from './dynamic-file-options.js';
import { lintPlanText } from './load-plan.js';
import { type LoadChild, refusedChildren } from './refused-children.js';
import { isWorkflowPath } from './workflow-service.js';

export interface LintContext {
  /** Built when a file names an agent or a child: most files need none. */
  services: () => Promise<Services>;
  /** Absent without a configuration: names are not checked then. */
  registered?: RegisteredNames;
  /** Names under `workflows:`. */
  workflows: readonly string[];
  signal: AbortSignal;
  /** Absolute paths of files that are checked by themselves, so that children among them are not checked twice. */
  checkedAnyway: ReadonlySet<string>;
  /** Told once when names could not be checked. */
  onUncheckedNames: () => void;
}

/**
 * Everything that lint says about a workflow file: what its reader refuses, what the expressions, conditions, retries
 * and names of its readable steps have wrong, and of a file without errors also its agents, schemas and children.
 * Problems of a child are its own, with its path before the message. Source: steps facts §17.
 */
export async function lintWorkflow(source: SourceFile, context: LintContext): Promise<Diagnostic[]> {
  const path = resolve(source.file);
  return new WorkflowLint(context).lint(source, [await realpath(path).catch(() => path)]);
}

class WorkflowLint {
  readonly #explored = new Set<string>();

  constructor(private readonly context: LintContext) {}

  async lint(source: SourceFile, callers: readonly string[]): Promise<Diagnostic[]> {
    const { diagnostics, located } = await read(source, this.context);
    if (located === undefined) return [...diagnostics];
    const findings = new Findings(located);
    checkConditions(findings, kinds);
    checkRetries(findings, kinds);
    const { registered, onUncheckedNames } = this.context;
    const selects = checkNames(findings, kinds, registered);
    // Agents, schemas and children are not followed: what the steps that could not be read say of them is missing.
    if (located.partial === true) return sorted([...diagnostics, ...findings.diagnostics]);
    const { uses, inside } = await this.#agents(findings);
    const schemas = await this.#schemas(findings, uses);
    checkTypes(findings, kinds, schemas);
    const { plan } = located;
    await this.#placements(plan, findings);
    const children = await this.#children(plan, findings, callers);
    if (registered === undefined && (selects || namesWorkflows(plan))) onUncheckedNames();
    return [...sorted([...diagnostics, ...findings.diagnostics]), ...inside, ...children];
  }

  /**
   * The settings and the agent of every step that asks a model, and what agent files that cannot be used have wrong.
   */
  async #agents(
    findings: Findings,
  ): Promise<{ uses: ReadonlyMap<PlanNode, ModelUse>; inside: readonly Diagnostic[] }> {
    const uses = new Map<PlanNode, ModelUse>();
    const inside: Diagnostic[] = [];
    const { plan } = findings.located;
    const { signal, registered } = this.context;
    for (const node of allNodes(plan.body.nodes, kinds)) {
      const kind = kinds.get(node.kind);
      if (kind?.modelUse === undefined) continue;
      const services = await this.context.services();
      try {
        const use = await kind.modelUse(node.fields, { plan, settings: plan.settings, services, signal });
        uses.set(node, use);
        if (use.agent?.source !== undefined) {
          checkSelection(use.agent, [use.agent.source.file], findings, registered, node);
          this.#agentInputs(use, node, findings);
        }
      } catch (error) {
        signal.throwIfAborted();
        const unknown = isLaitError(error) && error.code === 'agent_unknown';
        const isName = unknown && registered === undefined;
        if (isName) this.context.onUncheckedNames();
        else {
          addError(unknown ? 'unknown_agent' : 'unreadable_agent', error, ['agent'], node, findings);
          inside.push(...this.#problemsIn(error, kind.callsAgent?.(node.fields)));
        }
      }
    }
    return { uses, inside };
  }

  /** An agent file reads the inputs of whoever calls it. */
  #agentInputs({ agent }: ModelUse, node: PlanNode, findings: Findings): void {
    const declared = findings.located.plan.inputs ?? {};
    for (const { root, path } of agent!.system.references) {
      const [name] = path;
      if (root !== 'inputs' || typeof name !== 'string' || Object.hasOwn(declared, name)) continue;
      findings.add({
        code: 'undeclared_input',
        severity: 'error',
        message: `${agent!.source!.file} reads the input '${name}', which is not declared under inputs: of this file`,
        node,
        at: ['agent'],
      });
    }
  }

  /** Reads every schema file; gives back the schemas that replies are checked against. */
  async #schemas(
    findings: Findings,
    uses: ReadonlyMap<PlanNode, ModelUse>,
  ): Promise<Map<PlanNode, JsonObject>> {
    const { signal } = this.context;
    const { plan, unusedSchemas = [] } = findings.located;
    for (const { schema, node, at } of [...schemasOf(plan, kinds), ...unusedSchemas]) {
      if (schema.file === undefined) continue;
      try {
        await loadSchema(schema, { signal, pipes: false });
      } catch (error) {
        signal.throwIfAborted();
        addError('unreadable_schema', error, at, node, findings);
      }
    }
    const schemas = new Map<PlanNode, JsonObject>();
    for (const [node, { outputSchema, agent }] of uses) {
      if (outputSchema === undefined) continue;
      try {
        schemas.set(node, await loadSchema(outputSchema, { signal, pipes: false }));
      } catch (error) {
        signal.throwIfAborted();
        // Schemas of this file were reported above; an agent file has its own.
        if (agent?.source !== undefined) addError('unreadable_schema', error, ['agent'], node, findings);
      }
    }
    return schemas;
  }

  /** Steps of children that may not run where this file calls them. */
  async #placements(plan: Plan, findings: Findings): Promise<void> {
    const { signal, services } = this.context;
    const load: LoadChild = async (reference, callers) => {
      try {
        const { workflows } = await services();
        const origins = callers.map(({ origin }) => origin);
        return await workflows.load(reference, callers.at(-1)!.directory, { signal, callers: origins });
      } catch {
        // Whoever looks at the children says why one cannot be read.
        signal.throwIfAborted();
        return undefined;
      }
    };
    for (const { node, child, restriction } of await refusedChildren(plan, load)) {
      const { code, message } = restriction;
      findings.add({
        code,
        severity: 'error',
        message: `${node.kind}: ${child.id}: ${message}`,
        node,
        at: [node.kind],
      });
    }
  }

  async #children(plan: Plan, findings: Findings, callers: readonly string[]): Promise<Diagnostic[]> {
    const { signal, checkedAnyway, registered } = this.context;
    const found: Diagnostic[] = [];
    for (const node of allNodes(plan.body.nodes, kinds)) {
      const reference = kinds.get(node.kind)?.callsWorkflow?.(node.fields);
      if (reference === undefined) continue;
      try {
        const { workflows } = await this.context.services();
        const child = await workflows.load(reference, plan.directory, { signal, callers });
        const [source] = child.sources;
        if (source === undefined || checkedAnyway.has(child.origin) || this.#explored.has(child.origin))
          continue;
        this.#explored.add(child.origin);
        found.push(...prefixed(await this.lint(source, [...callers, child.origin]), source.file));
      } catch (error) {
        signal.throwIfAborted();
        const code = isLaitError(error) ? error.code : '';
        if (code === 'unknown_workflow' && registered === undefined) continue;
        const kind =
          code === 'workflow_cycle'
            ? 'workflow_cycle'
            : code === 'unknown_workflow'
              ? 'unregistered_name'
              : 'unreadable_workflow';
        addError(kind, error, [node.kind], node, findings);
        found.push(...this.#problemsIn(error, reference));
      }
    }
    return found;
  }

  /** What is wrong inside a file that could not be used, at its places there; of each file once. */
  #problemsIn(error: unknown, reference = ''): Diagnostic[] {
    const problems = error instanceof DefinitionError ? error.diagnostics : [];
    const placed = problems.filter(({ position }) => position !== undefined);
    const file = placed[0]?.position?.file;
    if (file === undefined || this.#explored.has(file)) return [];
    this.#explored.add(file);
    return prefixed(placed, reference);
  }
}

function read(source: SourceFile, context: LintContext): Promise<LintedWorkflow> {
  const { registered, services, workflows, onUncheckedNames } = context;
  const dynamic = registered && (async () => dynamicFileOptions({ services: await services(), workflows }));
  // What is built in is there without a configuration, too.
  const graph = async (): Promise<GraphWorld> => {
    const { agents, capabilities } = await services();
    return { agents, capabilities, ...(registered === undefined && { onUnknownName: onUncheckedNames }) };
  };
  return lintPlanText(source, { dynamic, graph });
}

function addError(
  code: DiagnosticCode,
  error: unknown,
  at: readonly (string | number)[],
  node: PlanNode | undefined,
  findings: Findings,
): void {
  const message = `${at.join('.')}: ${messageChain(error)}`;
  findings.add({ code, severity: 'error', message, at, ...(node === undefined ? {} : { node }) });
}

function prefixed(diagnostics: readonly Diagnostic[], file: string): Diagnostic[] {
  return diagnostics.map((diagnostic) => ({ ...diagnostic, message: `${file}: ${diagnostic.message}` }));
}

function sorted(diagnostics: readonly Diagnostic[]): Diagnostic[] {
  return [...diagnostics].sort((a, b) => (a.position?.start ?? -1) - (b.position?.start ?? -1));
}

function namesWorkflows(plan: Plan): boolean {
  for (const node of allNodes(plan.body.nodes, kinds)) {
    const reference = kinds.get(node.kind)?.callsWorkflow?.(node.fields);
    if (reference !== undefined && !isWorkflowPath(reference)) return true;
  }
  return false;
}
