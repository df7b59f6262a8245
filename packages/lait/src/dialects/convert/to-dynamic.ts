import type { Expression } from '../../expressions/expression.js';
import type { InputDeclarations } from '../../plan/inputs.js';
import type { Block, Plan, PlanNode } from '../../plan/plan.js';
import { type JsonObject, type JsonValue, setOwnProperty } from '../../values/value.js';
import { jqToMapping } from './jq-to-mapping.js';
import type { Conversion, Loss } from './loss.js';

/** Translates a loaded workflow of the steps form to a dynamic definition. With losses there is no `result`. */
export function convertToDynamic(plan: Plan): Conversion<JsonObject> {
  const writer = new DefinitionWriter(plan);
  const definition = writer.write();
  const { losses, notes } = writer;
  return losses.length > 0
    ? { losses, notes: [...notes] }
    : { result: definition, losses, notes: [...notes] };
}

type Fields = Readonly<Record<string, unknown>>;

class DefinitionWriter {
  readonly losses: Loss[] = [];
  readonly notes = new Set<string>();
  /** Steps whose result another id stands for: of a parallel step its branches, of for_each its body. */
  readonly #branches = new Map<string, ReadonlySet<string>>();
  readonly #bodies = new Map<string, string>();

  constructor(private readonly plan: Plan) {}

  write(): JsonObject {
    const { plan } = this;
    const graph = plan.body.nodes.map((node, index) => this.#entry(node, index === 0));
    if (plan.output !== undefined) {
      graph.push({ type: 'mapping', id: 'output', mapConfig: this.#mapping(plan.output, 'output') });
    }
    for (const [key, used] of Object.entries({
      timeout: plan.timeoutSeconds !== undefined,
      default: Object.keys(plan.settings.defaults).length > 0,
      models: Object.keys(plan.settings.models).length > 0,
      agents: Object.keys(plan.settings.agents).length > 0,
    })) {
      if (used) this.#lose(key, `the dynamic form has no ${key}`);
    }
    return {
      id: plan.name ?? plan.id,
      ...(plan.description === undefined ? {} : { description: plan.description }),
      inputSchema: this.#inputSchema(plan.inputs),
      outputSchema: {},
      graph,
    };
  }

  #inputSchema(inputs: InputDeclarations | undefined): JsonObject {
    if (inputs === undefined) return {};
    const properties: JsonObject = {};
    for (const [name, { schema, default: fallback }] of Object.entries(inputs)) {
      if (fallback !== undefined) this.#lose(`inputs.${name}`, 'the dynamic form has no defaults of inputs');
      setOwnProperty(properties, name, schema);
    }
    return { type: 'object', properties, required: Object.keys(properties) };
  }

  #entry(node: PlanNode, first: boolean): JsonObject {
    const { kind, path, fields } = node;
    switch (kind) {
      case 'parallel':
        return this.#parallel(node, first);
      case 'for_each':
        return this.#forEach(node, first);
      case 'jq': {
        this.#plain(node, ['input'], first);
        return {
          type: 'mapping',
          id: this.#id(node),
          mapConfig: this.#mapping((fields as Fields).jq as Expression, path),
        };
      }
      default:
        return this.#call(node, first);
    }
  }

  /** What may stand in a container: a workflow or an agent. */
  #call(node: PlanNode, first: boolean): JsonObject {
    const { kind, path, input, output } = node;
    const fields = node.fields as Fields;
    if (kind === 'workflow') {
      this.#plain(node, ['input'], first);
      const given = fields.with as Expression | undefined;
      if (given !== undefined && given.source.trim() !== '.') {
        this.#lose(
          path,
          'the inputs of a workflow are its incoming value in the dynamic form: put a mapping before it',
        );
      }
      return { type: 'workflow', id: this.#id(node), workflowId: fields.workflow as string };
    }
    if (kind !== 'agent') {
      this.#lose(path, `${kind}: the dynamic form has no such step`);
      return {};
    }
    this.#plain(node, ['input', 'output', 'retry'], first);
    const asks = input?.source.trim() === '.prompt' && output?.source.replaceAll(/\s/g, '') === '{text:.}';
    if (!asks)
      this.#lose(
        path,
        'an agent takes { prompt } and gives { text }: say input: .prompt and output: { text: . }',
      );
    const others = Object.keys(fields).filter((key) => key !== 'agent');
    if (others.length > 0) this.#lose(path, `the dynamic form has no ${others.join(', ')} for an agent`);
    return { type: 'agent', id: this.#id(node), agentId: fields.agent as string, ...this.#retries(node) };
  }

  #parallel(node: PlanNode, first: boolean): JsonObject {
    this.#plain(node, ['input'], first);
    const branches = Object.entries((node.fields as Fields).parallel as Record<string, Block>);
    const steps = branches.map(([name, block]) => this.#single(block, name));
    if (node.id !== undefined) this.#branches.set(node.id, new Set(branches.map(([name]) => name)));
    return { type: 'parallel', id: this.#id(node), steps };
  }

  #forEach(node: PlanNode, first: boolean): JsonObject {
    this.#plain(node, ['input'], first);
    const fields = node.fields as Fields;
    const source = (fields.for_each as Expression).source.trim();
    if (source !== '.')
      this.#lose(node.path, 'the dynamic form goes through the incoming value: put for_each: .');
    const step = this.#single(fields.steps as Block, undefined);
    if (node.id !== undefined && typeof step.id === 'string') this.#bodies.set(node.id, step.id);
    const concurrency = fields.max_concurrency;
    return {
      type: 'foreach',
      id: this.#id(node),
      step,
      ...(typeof concurrency === 'number' && concurrency > 1 ? { opts: { concurrency } } : {}),
    };
  }

  /** The one step of a branch; in a parallel step it must be called as its branch, by which results are found. */
  #single(block: Block, name: string | undefined): JsonObject {
    const [node, ...more] = block.nodes;
    if (more.length > 0)
      this.#lose(
        more[0]!.path,
        `a ${name === undefined ? 'body' : 'branch'} holds one step in the dynamic form: call a workflow`,
      );
    const step = this.#call(node!, false);
    if (name !== undefined && node!.id !== name) {
      this.#lose(node!.path, `the step of branch '${name}' needs the id '${name}'`);
    }
    return step;
  }

  #mapping(expression: Expression, path: string): JsonValue {
    const converted = jqToMapping(expression.source, (id, rest) => {
      const body = this.#bodies.get(id);
      if (body !== undefined) return { id: body, path: rest };
      const branches = this.#branches.get(id);
      if (branches === undefined) return { id, path: rest };
      const [branch, ...inner] = rest;
      return branch !== undefined && branches.has(branch) ? { id: branch, path: inner } : undefined;
    });
    if ('config' in converted) {
      this.notes.add('a path through something that is not there fails instead of giving null');
      return converted.config;
    }
    this.#lose(path, converted.reason);
    return {};
  }

  /** Reports every common field that the dynamic form does not know; the first step may take the inputs. */
  #plain(node: PlanNode, allowed: readonly string[], first: boolean): void {
    const { when, input, output, retry, timeoutSeconds, onError } = node;
    const used = { when, output, retry, timeout: timeoutSeconds, on_error: onError };
    for (const [key, value] of Object.entries(used)) {
      if (value !== undefined && !allowed.includes(key))
        this.#lose(node.path, `the dynamic form has no ${key}`);
    }
    const takesInputs = first && this.plan.inputs !== undefined && input?.source.trim() === '$inputs';
    if (input !== undefined && node.kind !== 'agent' && !takesInputs) {
      this.#lose(node.path, 'the dynamic form has no input: put a mapping before the step');
    }
  }

  #retries({ retry, path }: PlanNode): JsonObject {
    if (retry === undefined) return {};
    if (retry.delaySeconds > 0) this.#lose(path, 'attempts follow without a wait in the dynamic form');
    return retry.maxAttempts > 1 ? { options: { retries: retry.maxAttempts - 1 } } : {};
  }

  #id({ id, path }: PlanNode): string {
    if (id === undefined) this.#lose(path, 'every step needs an id in the dynamic form');
    return id ?? '';
  }

  #lose(path: string, message: string): void {
    this.losses.push({ path, message });
  }
}
