import { createHash } from 'node:crypto';
import { resolve } from 'node:path';
import type { Kinds, ModelUse } from '../kinds/kind.js';
import type { Services } from '../kinds/services.js';
import { loadSchema } from '../schema/load-schema.js';
import type { SchemaSource } from '../schema/schema-source.js';
import { allNodes } from './all-nodes.js';
import { schemasOf } from './analysis/schema-fields.js';
import { loadChildren } from './load-children.js';
import type { Plan, PlanNode } from './plan.js';

export interface FingerprintOptions {
  kinds: Kinds;
  services: Services;
  signal: AbortSignal;
}

export interface StepFingerprints {
  /** One per top-level step: equal for two versions of a file when the step does the same in both. */
  steps: readonly string[];
  /** Absolute paths of the files that the steps are made of, beside the workflow's own. */
  files: ReadonlySet<string>;
}

/**
 * What makes the top-level steps of a plan what they are: their definition, the settings of the file, and the contents
 * of agent files, schema files and child workflows below them. Files that cannot be read count as absent; running the
 * step says what is wrong with them.
 */
export async function fingerprintSteps(plan: Plan, options: FingerprintOptions): Promise<StepFingerprints> {
  const { kinds, services, signal } = options;
  const { children } = await loadChildren(plan, { kinds, workflows: services.workflows, signal });
  const fingerprinter = new Fingerprinter(options, children);
  const steps: string[] = [];
  for (const node of plan.body.nodes) steps.push(await fingerprinter.node(node, plan));
  return { steps, files: fingerprinter.files };
}

class Fingerprinter {
  readonly files = new Set<string>();
  readonly #plans = new Map<string, Promise<string>>();

  constructor(
    private readonly options: FingerprintOptions,
    private readonly children: ReadonlyMap<PlanNode, Plan>,
  ) {}

  async node(node: PlanNode, plan: Plan): Promise<string> {
    const parts: unknown[] = [canonical(node), canonical(plan.settings)];
    for (const inner of allNodes([node], this.options.kinds)) {
      const child = this.children.get(inner);
      if (child !== undefined) parts.push(await this.#plan(child));
      parts.push(...(await this.#modelParts(inner, plan)));
    }
    for (const { schema } of schemasOf({ ...plan, body: { path: '', nodes: [node] } }, this.options.kinds)) {
      parts.push(await this.#schema(schema));
    }
    return hash(parts);
  }

  #plan(plan: Plan): Promise<string> {
    let fingerprint = this.#plans.get(plan.origin);
    if (fingerprint === undefined) {
      this.files.add(plan.origin);
      // Entered at once: workflows that call each other end here instead of turning in a circle.
      this.#plans.set(plan.origin, Promise.resolve('itself'));
      fingerprint = this.#planParts(plan);
      this.#plans.set(plan.origin, fingerprint);
    }
    return fingerprint;
  }

  async #planParts(plan: Plan): Promise<string> {
    const parts: unknown[] = [
      canonical(plan.inputs ?? null),
      canonical(plan.output ?? null),
      plan.timeoutSeconds,
    ];
    for (const node of plan.body.nodes) parts.push(await this.node(node, plan));
    return hash([...parts, canonical(plan.body.edges ?? null)]);
  }

  async #modelParts(node: PlanNode, plan: Plan): Promise<unknown[]> {
    const { kinds, services, signal } = this.options;
    const kind = kinds.get(node.kind);
    let use: ModelUse | undefined;
    try {
      use = await kind?.modelUse?.(node.fields, { plan, settings: plan.settings, services, signal });
    } catch {
      signal.throwIfAborted();
    }
    if (use?.agent?.source !== undefined) this.files.add(resolve(use.agent.source.file));
    if (use?.outputSchema !== undefined) await this.#schema(use.outputSchema);
    for (const { name, expression } of kind?.expressions?.(node.fields) ?? []) {
      // Attached files whose paths are fixed belong to what the step does.
      if (/^(files|images)\b/.test(name) && expression.references.length === 0) {
        this.files.add(resolve(services.environment.workingDirectory, expression.source));
      }
    }
    return use === undefined
      ? []
      : [canonical({ ...use.settings, ...use.selection, agent: use.agent ?? null })];
  }

  async #schema(schema: SchemaSource): Promise<unknown> {
    if (schema.file === undefined) return null;
    this.files.add(schema.file);
    try {
      return await loadSchema(schema, { signal: this.options.signal });
    } catch {
      this.options.signal.throwIfAborted();
      return null;
    }
  }
}

/** Plan data without places: expressions as their sources, functions left out, keys in one order. */
function canonical(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(canonical);
  if (typeof value !== 'object' || value === null) return typeof value === 'function' ? undefined : value;
  const object = value as Readonly<Record<string, unknown>>;
  if (typeof object.evaluate === 'function') return [object.language, object.source];
  return Object.keys(object)
    .filter((key) => key !== 'position' && key !== 'path' && key !== 'label')
    .sort()
    .map((key) => [key, canonical(object[key])]);
}

function hash(parts: readonly unknown[]): string {
  return createHash('sha256').update(JSON.stringify(parts)).digest('hex');
}
