import { isObject, type JsonObject, type JsonValue, setOwnProperty } from '../../../values/value.js';
import { agentInputSchema, agentTextSchema, type Catalog, classifierOutputSchema } from '../catalog.js';
import type { ContainerSite, EntrySite, LeafSite } from '../entries.js';
import type { Issue, Problem } from '../issue.js';
import { itemsOf, type KnownSchema, mayFit, typeOf } from '../schema-shape.js';
import { checkMapping } from './mapping.js';
import { checkPredicate, predicatesOf } from './predicate-paths.js';

const stepIncompatible = 'Step input is incompatible with the preceding workflow output.';
const foreachNeedsArray =
  'Foreach input must be a raw array. A mapping step cannot produce one — mappings always build an object — so the ' +
  'preceding step (or the workflow inputSchema itself) must already be an array of the child input.';

/**
 * Follows what flows from entry to entry: what each call takes against what comes in, mappings, predicates, and the
 * last output against the workflow's own. Source: dynamic facts §5, schema flow.
 */
export function checkFlow(
  definition: { readonly [key: string]: JsonValue },
  sites: readonly EntrySite[],
  catalog: Catalog,
): { issues: Issue[]; problems: Problem[]; known: KnownFlow } {
  const pass = new FlowPass(definition, catalog);
  for (const site of sites) pass.visit(site);
  pass.finish();
  return pass;
}

/** What the pass came to know: the warnings read it. */
export interface KnownFlow {
  /** What flows into each top-level entry, by the entry's path. */
  incoming: ReadonlyMap<string, KnownSchema>;
  /** What is known of each step's output, by id; of each container's too. */
  results: ReadonlyMap<string, KnownSchema>;
}

class FlowPass {
  readonly issues: Issue[] = [];
  readonly problems: Problem[] = [];
  readonly #incoming = new Map<string, KnownSchema>();
  readonly #results = new Map<string, KnownSchema>();
  /** Where a recorded result is something else than what paths are checked against. */
  readonly #actual = new Map<string, KnownSchema>();
  #current: KnownSchema;

  constructor(
    private readonly definition: { readonly [key: string]: JsonValue },
    private readonly catalog: Catalog,
  ) {
    this.#current = definition.inputSchema;
  }

  get known(): KnownFlow {
    return { incoming: this.#incoming, results: new Map([...this.#results, ...this.#actual]) };
  }

  visit(site: EntrySite): void {
    this.#incoming.set(site.path, this.#current);
    switch (site.site) {
      case 'leaf':
        this.#current =
          site.leaf.type === 'mapping' ? this.#mapping(site.leaf) : this.#call(site.leaf, this.#current);
        this.#record(site.leaf.id, this.#current);
        return;
      case 'sleep':
        this.#record(site.entry.id, this.#current);
        return;
      case 'container':
        this.#container(site.container);
        return;
      case 'unknown':
        return;
    }
  }

  finish(): void {
    if (mayFit(this.#current, this.definition.outputSchema)) return;
    this.#report('outputSchema', 'Workflow output schema is incompatible with the final step output.');
  }

  #container(container: ContainerSite): void {
    switch (container.type) {
      case 'parallel':
      case 'conditional':
        this.#branches(container);
        break;
      case 'foreach':
        this.#foreach(container);
        break;
      case 'loop':
        this.#loop(container);
        break;
    }
    this.#record(container.entry.id, this.#current);
  }

  #branches({ entry, type, path, children }: ContainerSite): void {
    predicatesOf(entry).forEach((predicate, index) => {
      if (type === 'conditional' && predicate)
        this.#predicate(predicate, `${path}.predicates.${index}`, this.#current);
    });
    const properties: JsonObject = {};
    const outputs = children.map((child) => {
      const output = child.type === 'mapping' ? undefined : this.#call(child, this.#current);
      // A child of which nothing is known is no declared property of the result.
      if (output !== undefined) setOwnProperty(properties, String(child.id), output);
      return output;
    });
    children.forEach((child, index) => {
      this.#record(child.id, outputs[index]);
    });
    const required = type === 'parallel' ? children.map(({ id }) => String(id)) : [];
    this.#current = { type: 'object', properties, required };
  }

  #foreach({ path, children }: ContainerSite): void {
    const type = typeOf(this.#current);
    if (type !== undefined && type !== 'array') this.#report(path, foreachNeedsArray);
    const [body] = children;
    const output = body === undefined ? undefined : this.#call(body, itemsOf(this.#current));
    this.#current = output === undefined ? undefined : { type: 'array', items: output };
    if (body === undefined) return;
    // Under the body's id stands the array of results, yet paths are checked against one result, as the reference does.
    this.#record(body.id, output);
    this.#actual.set(String(body.id), { type: 'array' });
  }

  #loop({ entry, path, children }: ContainerSite): void {
    const [body] = children;
    const output = body === undefined ? undefined : this.#call(body, this.#current);
    if (body !== undefined) this.#record(body.id, output);
    if (entry.predicate) this.#predicate(entry.predicate, `${path}.predicate`, output);
    if (body !== undefined && !mayFit(output, this.#signature(body).input)) {
      this.#report(body.path, 'Loop step output is incompatible with its input for a subsequent iteration.');
    }
    this.#current = output;
  }

  #mapping({ entry, path }: LeafSite): KnownSchema {
    const { inputSchema: initData, requestContextSchema: requestContext } = this.definition;
    return checkMapping(
      entry.mapConfig,
      `${path}.mapConfig`,
      { initData, requestContext, results: this.#results },
      this.issues,
    );
  }

  #call(leaf: LeafSite, incoming: KnownSchema): KnownSchema {
    const { input, output } = this.#signature(leaf);
    if (!mayFit(incoming, input)) this.#report(leaf.path, stepIncompatible);
    return output;
  }

  #signature({ type, entry }: LeafSite): { input: KnownSchema; output: KnownSchema } {
    switch (type) {
      case 'agent':
        return { input: agentInputSchema, output: entry.outputSchema ?? agentTextSchema };
      case 'classifier':
        return { input: undefined, output: classifierOutputSchema };
      case 'tool':
        return schemasOf(typeof entry.toolId === 'string' ? this.#tool(entry.toolId) : undefined);
      case 'workflow':
        return schemasOf(
          typeof entry.workflowId === 'string' ? this.catalog.workflow(entry.workflowId) : undefined,
        );
      default:
        return { input: undefined, output: undefined };
    }
  }

  #tool(id: string) {
    return this.catalog.tool(id) ?? this.catalog.toolByOwnId(id);
  }

  #predicate(predicate: JsonValue, path: string, inputData: KnownSchema): void {
    const { inputSchema: initData, stateSchema: state } = this.definition;
    checkPredicate(predicate, path, { inputData, initData, state, results: this.#results }, this);
  }

  #record(id: JsonValue | undefined, schema: KnownSchema): void {
    if (id) this.#results.set(String(id), schema);
  }

  #report(path: string, message: string): void {
    this.issues.push({ code: 'incompatible-schema', path, message });
  }
}

function schemasOf(signature: { inputSchema?: unknown; outputSchema?: unknown } | undefined): {
  input: KnownSchema;
  output: KnownSchema;
} {
  return { input: asSchema(signature?.inputSchema), output: asSchema(signature?.outputSchema) };
}

function asSchema(schema: unknown): KnownSchema {
  return isObject(schema) || typeof schema === 'boolean' ? schema : undefined;
}
