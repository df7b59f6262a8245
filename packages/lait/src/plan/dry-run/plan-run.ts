import { DefinitionError } from '../../errors/errors.js';
import { isLaitError, messageChain } from '../../errors/lait-error.js';
import type { Kind, Kinds, Lookup, ModelUse } from '../../kinds/kind.js';
import type { Services } from '../../kinds/services.js';
import type { JsonValue, Value } from '../../values/value.js';
import type { Diagnostic } from '../diagnostic.js';
import type { Block, Edge, Plan, PlanNode, PlanStart } from '../plan.js';
import { runLimits } from '../spending-limits.js';
import { describeFields } from './describe-fields.js';
import { KnownScope } from './known-scope.js';
import type { PlannedEdge, PlannedField, PlannedModel, PlannedRun, PlannedStep } from './planned-run.js';

export interface PlanRunOptions {
  kinds: Kinds;
  services: Services;
  signal: AbortSignal;
}

/**
 * Says what a run would do. Agent files are read; no model, command, server, key command or question is touched. Child
 * workflows stay closed. Throws a `DefinitionError` with every step whose model or agent cannot be found, as a run
 * would. Source: steps seed, 実行計画の表示; steps facts §16.
 */
export async function planRun(plan: Plan, start: PlanStart, options: PlanRunOptions): Promise<PlannedRun> {
  const planner = new Planner(plan, start, options);
  const steps = await planner.block(plan.body, { known: true, value: start.value });
  planner.throwProblems();
  const { given, configured } = options.services.limits ?? {};
  return {
    workflow: plan.id,
    name: plan.name ?? null,
    description: plan.description ?? null,
    input: start.value ?? null,
    inputs: start.inputs ?? null,
    steps,
    output: plan.output?.source ?? null,
    timeout: plan.timeoutSeconds ?? null,
    limits: runLimits(given, plan.limits, configured) ?? {},
  };
}

/** The value that comes into a step, when it is known. */
interface Incoming {
  known: boolean;
  value: Value;
}

const unknown: Incoming = { known: false, value: null };

class Planner {
  readonly #lookup: Lookup;
  readonly #problems: { diagnostic: Diagnostic; error: unknown }[] = [];

  constructor(
    plan: Plan,
    private readonly start: PlanStart,
    private readonly options: PlanRunOptions,
  ) {
    const { services, signal } = options;
    this.#lookup = { plan, settings: plan.settings, services, signal };
  }

  async block(block: Block, incoming: Incoming): Promise<PlannedStep[]> {
    const steps: PlannedStep[] = [];
    const first = block.entry ?? 0;
    for (const [index, node] of block.nodes.entries()) {
      const step = await this.#step(node, index, index === first ? incoming : unknown);
      const edges = block.edges?.[index]?.map((edge) => plannedEdge(edge, block));
      steps.push(edges === undefined ? step : { ...step, edges });
    }
    return steps;
  }

  throwProblems(): void {
    const [first] = this.#problems;
    if (first === undefined) return;
    throw new DefinitionError({
      code: isLaitError(first.error) ? first.error.code : 'definition_invalid',
      message: `${first.diagnostic.path} failed`,
      diagnostics: this.#problems.map(({ diagnostic }) => diagnostic),
      cause: first.error,
    });
  }

  async #step(node: PlanNode, index: number, incoming: Incoming): Promise<PlannedStep> {
    const kind = this.options.kinds.get(node.kind)!;
    const input = node.input === undefined ? incoming : unknown;
    const scope = new KnownScope(this.start.inputs, input.known, input.value);
    const use = await this.#modelUse(node, kind);
    const fields: PlannedField[] = [];
    if (node.when !== undefined) fields.push({ name: 'when', text: node.when.source });
    if (node.input !== undefined) fields.push({ name: 'input', text: node.input.source });
    fields.push(...describeFields(node, kind, scope));
    if (use?.system !== undefined && !fields.some(({ name }) => name === 'system')) {
      fields.push(scope.render('system', use.system));
    }
    if (node.output !== undefined) fields.push({ name: 'output', text: node.output.source });
    const { defaults } = this.#lookup.settings;
    const retry = node.retry ?? (kind.callsModel === true ? defaults.retry : undefined);
    const timeout = node.timeoutSeconds ?? (kind.callsModel === true ? defaults.timeoutSeconds : undefined);
    return {
      position: index + 1,
      path: node.path,
      id: node.id ?? null,
      label: node.label,
      kind: node.kind,
      fields,
      model: use === undefined ? null : this.#model(node, use),
      tools: use === undefined ? {} : toolsOf(use),
      retry:
        retry === undefined
          ? null
          : { max_attempts: retry.maxAttempts, delay_seconds: retry.delaySeconds, backoff: retry.backoff },
      timeout: timeout ?? null,
      blocks: await this.#blocks(node, kind, input),
    };
  }

  async #blocks(node: PlanNode, kind: Kind, input: Incoming): Promise<PlannedStep['blocks']> {
    const blocks: { title: string; steps: PlannedStep[] }[] = [];
    for (const { title, block, repeated } of kind.blocks?.(node.fields) ?? []) {
      blocks.push({ title, steps: await this.block(block, repeated === true ? unknown : input) });
    }
    if (node.onError !== undefined) {
      blocks.push({ title: 'on_error', steps: await this.block(node.onError, unknown) });
    }
    return blocks;
  }

  async #modelUse(node: PlanNode, kind: Kind): Promise<ModelUse | undefined> {
    try {
      return await kind.modelUse?.(node.fields, this.#lookup);
    } catch (error) {
      this.options.signal.throwIfAborted();
      this.#report(node, error);
      return undefined;
    }
  }

  #model(node: PlanNode, { settings, agent }: ModelUse): PlannedModel | null {
    // An agent given in code answers by itself.
    if (agent?.answer !== undefined) return null;
    try {
      const { models } = this.options.services;
      const { name: _name, candidates, ...sampling } = models.resolve(settings, this.#lookup.settings.models);
      const [first, ...others] = candidates;
      return {
        id: first!.modelId,
        base_url: first!.baseUrl,
        fallbacks: others.map(({ modelId }) => modelId),
        settings: Object.fromEntries(Object.entries(sampling).filter(([, value]) => value !== undefined)),
      };
    } catch (error) {
      this.#report(node, error);
      return null;
    }
  }

  #report(node: PlanNode, error: unknown): void {
    const { path, id, position } = node;
    const code = isLaitError(error) ? error.code : 'definition_invalid';
    const message = messageChain(error);
    this.#problems.push({
      error,
      diagnostic: {
        code,
        severity: 'error',
        message,
        path,
        ...(id === undefined ? {} : { id }),
        ...(position === undefined ? {} : { position }),
      },
    });
  }
}

function plannedEdge({ kind, target, condition }: Edge, { nodes }: Block): PlannedEdge {
  const { path, label } = nodes[target]!;
  return { kind, position: target + 1, path, label, condition: condition?.source ?? null };
}

function toolsOf({ selection }: ModelUse): Record<string, JsonValue> {
  const tools: Record<string, JsonValue> = {};
  for (const name of ['mcp', 'skills', 'subagents', 'tools'] as const) {
    const names = selection[name];
    if (names !== undefined && names.length > 0) tools[name] = [...names];
  }
  if (Object.keys(tools).length > 0 && selection.max_tool_rounds !== undefined) {
    tools.max_tool_rounds = selection.max_tool_rounds;
  }
  return tools;
}
