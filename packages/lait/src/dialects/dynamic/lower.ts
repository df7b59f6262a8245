import { describePredicate } from '../../expressions/describe-predicate.js';
import { compileMapping } from '../../expressions/mapping.js';
import { compilePredicate, type Predicate } from '../../expressions/predicate.js';
import type { Block, Plan, PlanNode } from '../../plan/plan.js';
import { noSettings, type RetryPolicy } from '../../plan/settings.js';
import type { SourceFile, SourcePosition } from '../../plan/source.js';
import { isObject, type JsonObject, type JsonValue } from '../../values/value.js';
import { acceptCall } from './accept.js';
import type { UncheckedDefinition } from './definition.js';
import { type ContainerSite, type EntrySite, type LeafSite, readEntries } from './entries.js';
import { mappingEntries, readMappingConfig } from './mapping-config.js';

/** A classifier that definitions can name: its questions and the model that answers them. */
export interface Classifier {
  questions: JsonObject;
  model?: string;
}

export interface LowerOptions {
  source: SourceFile;
  /** Tells the workflow apart from others: the file's canonical path, or the registered id. */
  origin: string;
  directory?: string;
  strictSchemas?: boolean;
  /** Where a part of the definition stands in its file. */
  positionOf?(path: string): SourcePosition | undefined;
  /** The workflows that calls are bound to; others are looked up by id when they are called. */
  boundWorkflow?(id: string): Plan | undefined;
  classifier?(id: string): Classifier | undefined;
  /** True when a plain step's name is an agent's. */
  isAgent?(name: string): boolean;
  /** Tools that a run must refuse to start with. */
  unusableTool?(key: string): boolean;
}

/** Lowers a checked definition to a plan. */
export function lowerDefinition(definition: UncheckedDefinition, options: LowerOptions): Plan {
  const { sites } = readEntries(definition.graph);
  const lowering = new Lowering(options);
  const body: Block = { path: 'graph', nodes: sites.map((site) => lowering.site(site)) };
  const id = String(definition.id);
  return {
    form: 'dynamic',
    id,
    ...(typeof definition.description === 'string' ? { description: definition.description } : {}),
    origin: options.origin,
    ...(options.directory === undefined ? {} : { directory: options.directory }),
    sources: [options.source],
    ...(isObject(definition.inputSchema) ? { inputSchema: definition.inputSchema } : {}),
    accept: acceptCall(definition, {
      strict: options.strictSchemas === true,
      unusableTools: lowering.unusableTools,
    }),
    body,
    settings: noSettings,
  };
}

class Lowering {
  readonly unusableTools = new Set<string>();
  readonly #strict: boolean;

  constructor(private readonly options: LowerOptions) {
    this.#strict = options.strictSchemas === true;
  }

  site(site: EntrySite): PlanNode {
    switch (site.site) {
      case 'leaf':
        return this.#leaf(site.leaf);
      case 'container':
        return this.#container(site.container);
      case 'sleep': {
        const { entry, type, path } = site;
        const fields =
          type === 'sleep' ? { milliseconds: entry.duration } : { until: Date.parse(entry.date as string) };
        return this.#node('sleep', path, entry.id, fields);
      }
      case 'unknown':
        throw new Error(`${site.path} was not checked`);
    }
  }

  #container({ entry, type, path, children }: ContainerSite): PlanNode {
    const label = typeof entry.id === 'string' ? entry.id : path;
    switch (type) {
      case 'parallel': {
        const parallel = Object.fromEntries(children.map((child) => [String(child.id), this.#block(child)]));
        return { ...this.#node('parallel', path, undefined, { parallel, declared: true }), label };
      }
      case 'conditional': {
        const predicates = entry.predicates as unknown as Predicate[];
        const branches = children.map((child, index) => ({
          id: String(child.id),
          predicate: compilePredicate(predicates[index]!, { unusable: false }),
          condition: describePredicate(predicates[index]!),
          block: this.#block(child),
        }));
        return { ...this.#node('conditional', path, undefined, { branches }), label };
      }
      case 'foreach': {
        const [body] = children;
        const fields = {
          body: this.#block(body!),
          id: String(body!.id),
          concurrency: concurrencyOf(entry.opts),
        };
        return { ...this.#node('foreach', path, undefined, fields), label };
      }
      case 'loop': {
        const predicate = entry.predicate as unknown as Predicate;
        const fields = {
          body: this.#block(children[0]!),
          predicate: compilePredicate(predicate),
          condition: `${entry.loopType === 'dowhile' ? 'while' : 'until'} ${describePredicate(predicate)}`,
          goesOnWhen: entry.loopType === 'dowhile',
        };
        return { ...this.#node('repeat', path, undefined, fields), label };
      }
    }
  }

  #block(leaf: LeafSite): Block {
    return { path: leaf.path, nodes: [this.#leaf(leaf)] };
  }

  #leaf({ entry, type, path, id }: LeafSite): PlanNode {
    const node = (kind: string, fields: unknown) => this.#node(kind, path, id, fields);
    switch (type) {
      case 'mapping': {
        const config = readMappingConfig(entry.mapConfig)!;
        return node('mapping', { mapping: compileMapping(mappingEntries(config), JSON.stringify(config)) });
      }
      case 'workflow': {
        const workflowId = entry.workflowId as string;
        return node('workflow_call', { workflowId, plan: this.options.boundWorkflow?.(workflowId) });
      }
      case 'classifier': {
        const classifier = this.options.classifier?.(entry.classifierId as string);
        return { ...node('classifier', classifier ?? { questions: {} }), ...retryOf(entry) };
      }
      case 'agent':
        return {
          ...node('agent_call', this.#agent(entry.agentId as string, entry.outputSchema)),
          ...retryOf(entry),
        };
      case 'tool':
        return { ...node('tool', this.#tool(entry.toolId as string)), ...retryOf(entry) };
      case 'step': {
        const name = id as string;
        const isAgent = this.options.isAgent?.(name) === true;
        return isAgent ? node('agent_call', this.#agent(name, undefined)) : node('tool', this.#tool(name));
      }
      default:
        throw new Error(`${path} was not checked`);
    }
  }

  #agent(agentId: string, outputSchema: JsonValue | undefined) {
    return {
      agentId,
      strict: this.#strict,
      ...(outputSchema ? { outputSchema: isObject(outputSchema) ? outputSchema : {} } : {}),
    };
  }

  #tool(toolId: string) {
    if (this.options.unusableTool?.(toolId) === true) this.unusableTools.add(toolId);
    return { toolId, strict: this.#strict };
  }

  #node(kind: string, path: string, id: JsonValue | undefined, fields: unknown): PlanNode {
    const name = id === undefined ? undefined : String(id);
    const position = this.options.positionOf?.(path);
    const node: PlanNode = { kind, path, id: name, label: name ?? path, fields };
    if (position !== undefined) node.position = position;
    return node;
  }
}

/**
 * `retries` are further attempts without a wait; what is no number, or negative, leaves none. Source: dynamic facts §4.
 */
function retryOf({ options }: JsonObject): { retry?: RetryPolicy } {
  const retries = isObject(options) ? Number(options.retries ?? 0) : 0;
  if (retries === 0) return {};
  return { retry: { maxAttempts: Math.ceil(retries + 1) || 0, delaySeconds: 0, backoff: 1 } };
}

/** Anything but a whole number of at least 1 counts as one at a time. */
function concurrencyOf(opts: JsonValue | undefined): number {
  const concurrency = isObject(opts) ? opts.concurrency : undefined;
  return typeof concurrency === 'number' && Number.isInteger(concurrency) && concurrency >= 1
    ? concurrency
    : 1;
}
