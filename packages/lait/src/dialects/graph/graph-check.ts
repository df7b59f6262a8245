import type { TypedReference } from '../../expressions/typed-reference.js';
import { type ComputedPart, readTypedValue, referencesOf } from '../../expressions/typed-reference-value.js';
import type { Capability, CapabilityService } from '../../kinds/services.js';
import { checkGraphSchema } from '../../schema/graph-schema.js';
import { pathText } from '../../schema/graph-value.js';
import type { Misnamed } from '../../values/misnamed.js';
import { isObject, type JsonObject, type JsonValue, ownProperty } from '../../values/value.js';
import { checkContract } from './check-contract.js';
import { checkDatePart, checkLiterals, checkPipeTypes, type DeclaredPlace } from './check-declared.js';
import type { DefinitionPath, GraphDefinition, GraphEdge, GraphNode } from './definition.js';
import type { GraphIssues, IssueReport } from './issue.js';
import type { GraphIssueCode } from './issue-codes.js';
import { nodeTypes } from './node-types/index.js';
import { followSchema, type SchemaPathResult } from './schema-path.js';
import { ScopeGraph } from './scope-graph.js';

/** What a graph is checked against. What is absent is not checked: it shows when the graph runs. */
export interface GraphCheckOptions {
  capabilities?: CapabilityService;
  agents?: ReadonlySet<string>;
  /**
   * Told of a capability or agent that is not there when others may be registered elsewhere. Default: it is an error.
   */
  onUnknownName?: () => void;
  /** Names that `provider` of an llm node may have, beside the well-known ones. */
  providers?: readonly string[];
  /** Default 30. */
  maxNodes?: number;
  /** Default 60. */
  maxEdges?: number;
}

/** Where a value stands: what it can see, and whom its issues belong to. */
export interface Place {
  /** The loop whose values can be seen; null at top level. */
  scope: string | null;
  /** The node that it belongs to; absent when the loop has no single loop_result. */
  node?: GraphNode;
  /** True when it is judged after the node has ended: conditions of edges and loops. */
  after: boolean;
  owner: { node_id?: string; edge_id?: string };
}

/** What is wrong, with the name that nothing has. */
export interface Told {
  message: string;
  misnamed?: Misnamed | undefined;
}

type AddIssue = (
  code: GraphIssueCode,
  message: string,
  more?: { severity?: 'error' | 'warning'; misnamed?: Misnamed },
) => void;

/** Everything that the checks of one graph share. */
export class GraphCheck {
  readonly nodes: ReadonlyMap<string, GraphNode>;
  readonly scopes: ReadonlyMap<string | null, ScopeGraph>;

  constructor(
    readonly definition: GraphDefinition,
    readonly issues: GraphIssues,
    readonly options: GraphCheckOptions,
  ) {
    this.nodes = new Map(definition.nodes.map((node) => [node.node_id, node]));
    this.scopes = scopesOf(definition, this.nodes);
  }

  report(node: GraphNode, code: GraphIssueCode, what: string | Told, ...path: (string | number)[]): void {
    this.issues.add({
      code,
      ...told(what),
      node_id: node.node_id,
      path: path.length === 0 ? node.path : [...node.configPath, ...path],
    });
  }

  warn(node: GraphNode, code: GraphIssueCode, what: string | Told, ...path: (string | number)[]): void {
    this.issues.add({
      code,
      severity: 'warning',
      ...told(what),
      node_id: node.node_id,
      path: [...node.configPath, ...path],
    });
  }

  placeOf(node: GraphNode): Place {
    return { scope: node.parent_loop_node_id, node, after: false, owner: { node_id: node.node_id } };
  }

  capability(node: GraphNode): Capability | undefined {
    const key = ownProperty(node.config, 'capability_key');
    return typeof key === 'string' ? this.options.capabilities?.get(key) : undefined;
  }

  /** Reports what leaves the subset; gives whether the schema can be used. */
  schema(schema: JsonValue, path: DefinitionPath, owner: Place['owner']): boolean {
    const problems = checkGraphSchema(schema);
    for (const problem of problems) {
      const place = `${path.at(-1)}${pathText(problem.path)}`;
      this.issues.add({
        code: 'schema_subset',
        message: `${place}: ${problem.message}`,
        misnamed: problem.misnamed,
        path: [...path, ...problem.path],
        ...owner,
      });
    }
    return problems.length === 0;
  }

  /** Checks the references, pipes, date expressions and literals of a value. */
  value(value: JsonValue, path: DefinitionPath, place: Place, declared?: DeclaredPlace): void {
    const typed = readTypedValue(value);
    for (const issue of typed.issues) {
      this.issues.add({
        code: issue.code,
        message: issue.message,
        misnamed: issue.misnamed,
        path: [...path, ...issue.path],
        ...place.owner,
      });
    }
    for (const part of typed.parts) {
      const at = [...path, ...part.path];
      for (const reference of referencesOf(part)) this.reference(reference, at, place);
      this.#checkPart(part, at, place, declared?.schema);
    }
    if (declared !== undefined) checkLiterals(typed, path, place, declared, this.issues);
  }

  /** Checks a value without references against a schema. */
  literal(value: JsonValue, path: DefinitionPath, place: Place, declared: DeclaredPlace): void {
    checkLiterals(readTypedValue(value), path, place, declared, this.issues);
  }

  #checkPart(part: ComputedPart, path: DefinitionPath, place: Place, schema: JsonValue | undefined): void {
    if (part.kind === 'reference')
      checkPipeTypes(part, this.declaredSchema(part.reference, place), path, place, this.issues);
    else {
      const anchor =
        part.expression.anchor === 'now' ? undefined : this.declaredSchema(part.expression.anchor, place);
      checkDatePart(part, anchor, followSchema(schema, part.path), path, place, this.issues);
    }
  }

  /** Checks that a reference names something that can be seen from the place and has happened by then. */
  reference(reference: TypedReference, path: DefinitionPath, place: Place): void {
    const add: AddIssue = (code, message, { severity = 'error', misnamed } = {}) =>
      this.issues.add({
        code,
        severity,
        message: `${reference.source}: ${message}`,
        misnamed,
        path,
        ...place.owner,
      });
    if (reference.root.startsWith('loop') && place.scope === null) {
      add('reference_scope', 'loop values can only be seen inside a loop');
      return;
    }
    if (reference.root === 'node' && !this.#nodeReference(reference, place, add)) return;
    if (reference.root === 'node') {
      const source = this.nodes.get(reference.nodeId)!;
      const problem = checkContract(reference.path, source, this.capability(source));
      if (problem !== undefined) {
        add('output_contract', problem);
        return;
      }
    }
    const result = this.#follow(reference, place);
    if (result.kind === 'impossible')
      add('reference_scope', `'${result.part}' does not exist in a value of type ${result.type}`);
    else if (result.kind === 'undeclared') {
      const input = reference.root === 'inputs' && result.part === reference.path[0];
      const misnamed = { name: result.part, known: result.known };
      if (input) add('reference_scope', `the inputs_schema declares no '${result.part}'`, { misnamed });
      else if (result.closed) add('reference_scope', `the schema has no '${result.part}'`, { misnamed });
      else {
        const message = `the schema does not declare '${result.part}'`;
        add('reference_undeclared', message, { severity: 'warning', misnamed });
      }
    }
  }

  #nodeReference(
    { nodeId }: Extract<TypedReference, { root: 'node' }>,
    place: Place,
    add: AddIssue,
  ): boolean {
    const source = this.nodes.get(nodeId);
    if (source === undefined) {
      const known = (this.scopes.get(place.scope)?.nodes ?? []).map(({ node_id }) => node_id);
      add('reference_scope', `no node '${nodeId}' exists`, { misnamed: { name: nodeId, known } });
      return false;
    }
    if (source.parent_loop_node_id === place.scope) {
      if (place.node === undefined) return true;
      const availability = this.scopes
        .get(place.scope)!
        .availability(nodeId, place.node.node_id, place.after);
      if (availability === 'never') {
        add(
          'reference_order',
          nodeId === place.node.node_id
            ? 'a node cannot read its own output'
            : `node '${nodeId}' never ends before this`,
        );
      } else if (availability === 'sometimes') {
        add('reference_conditional', `node '${nodeId}' may not have an output here`, {
          severity: 'warning',
        });
      }
      return availability !== 'never';
    }
    if (source.parent_loop_node_id !== null) {
      add(
        'reference_scope',
        `node '${nodeId}' belongs to loop '${source.parent_loop_node_id}' and cannot be seen from outside`,
      );
      return false;
    }
    if (nodeId === place.scope) {
      add('reference_order', 'a loop has no output while it runs');
      return false;
    }
    if (this.scopes.get(null)!.availability(nodeId, place.scope!) === 'always') return true;
    add('reference_scope', `node '${nodeId}' has not certainly ended before loop '${place.scope}' starts`);
    return false;
  }

  /** The declared schema of what a reference gives; undefined when nothing is declared. */
  declaredSchema(reference: TypedReference, place: Place): JsonObject | undefined {
    const result = this.#follow(reference, place);
    return result.kind === 'declared' && isObject(result.schema) ? result.schema : undefined;
  }

  #follow(reference: TypedReference, place: Place): SchemaPathResult {
    switch (reference.root) {
      case 'inputs':
        return followSchema(this.definition.inputs_schema, reference.path);
      case 'node': {
        const node = this.nodes.get(reference.nodeId);
        const type = node === undefined ? undefined : nodeTypes.get(node.node_type);
        return followSchema(node === undefined ? undefined : type?.output?.(node, this), reference.path);
      }
      case 'loop_iteration':
        return { kind: 'declared', schema: { type: 'integer' }, required: true };
      case 'reference_time':
        return { kind: 'declared', schema: { type: 'string', format: 'date-time' }, required: true };
      default:
        return followSchema(this.loopState(place.scope), reference.path);
    }
  }

  /** The loop around a place declares the shape of `loop.state` and `loop.input`. */
  loopState(scope: string | null): JsonValue | undefined {
    const loop = scope === null ? undefined : this.nodes.get(scope);
    return loop === undefined ? undefined : ownProperty(loop.config, 'state_schema');
  }

  outgoing(node: GraphNode): GraphEdge[] {
    return this.scopes.get(node.parent_loop_node_id)?.outgoing(node) ?? [];
  }
}

function told(what: string | Told): Pick<IssueReport, 'message' | 'misnamed'> {
  return typeof what === 'string' ? { message: what } : what;
}

function scopesOf(
  definition: GraphDefinition,
  nodes: ReadonlyMap<string, GraphNode>,
): Map<string | null, ScopeGraph> {
  const members = new Map<string | null, GraphNode[]>([[null, []]]);
  for (const node of definition.nodes) {
    const list = members.get(node.parent_loop_node_id) ?? [];
    list.push(node);
    members.set(node.parent_loop_node_id, list);
  }
  const edges = new Map<string | null, GraphEdge[]>();
  for (const edge of definition.edges) {
    const source = nodes.get(edge.source_node_id);
    const target = nodes.get(edge.target_node_id);
    if (
      source === undefined ||
      target === undefined ||
      source.parent_loop_node_id !== target.parent_loop_node_id
    )
      continue;
    const list = edges.get(source.parent_loop_node_id) ?? [];
    list.push(edge);
    edges.set(source.parent_loop_node_id, list);
  }
  return new Map([...members].map(([scope, list]) => [scope, new ScopeGraph(list, edges.get(scope) ?? [])]));
}
