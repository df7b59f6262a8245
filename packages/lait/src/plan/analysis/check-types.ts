import type { Expression, Reference } from '../../expressions/expression.js';
import type { Kinds } from '../../kinds/kind.js';
import { isObject, type JsonObject, type JsonValue } from '../../values/value.js';
import { allNodes } from '../all-nodes.js';
import type { Block, PlanNode } from '../plan.js';
import { didYouMean } from '../suggest.js';
import type { Findings } from './located-plan.js';

/** The schema that a step's reply was checked against, for the steps that have one. */
export type ReplySchemas = ReadonlyMap<PlanNode, JsonObject>;

/**
 * Finds references into values that cannot be there, because the schema of the value says so: a field that the schema
 * rules out, or a field of text, a number or a list.
 */
export function checkTypes(findings: Findings, kinds: Kinds, schemas: ReplySchemas): void {
  const { plan } = findings.located;
  const steps = new Map<string, JsonObject>();
  for (const node of allNodes(plan.body.nodes, kinds)) {
    const schema = valueSchema(node, schemas);
    if (node.id !== undefined && schema !== undefined) steps.set(node.id, schema);
  }
  const inputs: JsonObject = {
    type: 'object',
    properties: Object.fromEntries(
      Object.entries(plan.inputs ?? {}).map(([name, { schema }]) => [name, schema]),
    ),
  };

  /** The schema that a reference leads into, if it is known, and the way inside. */
  const entered = ({ root, path }: Reference, value: JsonObject | undefined) => {
    if (root === 'steps' && path.length > 0) return [steps.get(String(path[0])), path.slice(1)] as const;
    return [root === 'inputs' ? inputs : root === 'value' ? value : undefined, path] as const;
  };

  const check = (expression: Expression, node: PlanNode | undefined, value: JsonObject | undefined) => {
    for (const reference of expression.references) {
      const [schema, way] = entered(reference, value);
      const found = schema && impossible(schema, way);
      if (found === undefined) continue;
      findings.add({
        code: 'impossible_reference',
        message: `${nameOf(reference)} is never there: ${found.reason}`,
        ...(found.hint === undefined ? {} : { hint: found.hint }),
        ...(node === undefined ? {} : { node }),
        expression,
        reference,
      });
    }
  };

  const visit = (block: Block, entering: JsonObject | undefined): JsonObject | undefined => {
    let incoming = entering;
    for (const node of block.nodes) {
      const kind = kinds.get(node.kind)!;
      if (node.when !== undefined) check(node.when, node, incoming);
      if (node.input !== undefined) check(node.input, node, incoming);
      const input = node.input === undefined ? incoming : undefined;
      for (const { expression, sees } of kind.expressions?.(node.fields) ?? []) {
        if (kind.loop === true || sees === 'result') check(expression, node, undefined);
        else check(expression, node, input);
      }
      for (const child of kind.blocks?.(node.fields) ?? []) {
        visit(child.block, child.repeated === true ? undefined : input);
      }
      if (node.output !== undefined) check(node.output, node, schemas.get(node));
      if (node.onError !== undefined) visit(node.onError, undefined);
      incoming =
        block.edges === undefined && node.when === undefined ? valueSchema(node, schemas) : undefined;
    }
    return incoming;
  };
  const last = visit(plan.body, undefined);
  if (plan.output !== undefined) check(plan.output, undefined, last);
}

/** The schema of a step's value: of its reply, unless something else is made of that. */
function valueSchema(node: PlanNode, schemas: ReplySchemas): JsonObject | undefined {
  return node.output === undefined && node.onError === undefined ? schemas.get(node) : undefined;
}

interface Impossible {
  reason: string;
  hint?: string;
}

/** Why a path leads nowhere in every value that the schema allows; undefined when it may lead somewhere. */
export function impossible(schema: JsonObject, path: readonly (string | number)[]): Impossible | undefined {
  let at: JsonValue | undefined = schema;
  for (const [index, part] of path.entries()) {
    if (!isObject(at)) return undefined;
    const types: JsonValue[] = Array.isArray(at.type) ? at.type : at.type === undefined ? [] : [at.type];
    // A list, a text and null answer some steps of a path by themselves.
    if (types.length === 0 || types.includes('null')) return undefined;
    const way = path.slice(0, index).join('.') || 'the value';
    if (typeof part === 'number') {
      if (!types.includes('array')) return types.includes('object') ? undefined : notIn(way, types, part);
      at = at.items;
      continue;
    }
    if (!types.includes('object')) return part === 'length' ? undefined : notIn(way, types, part);
    if (types.length > 1) return undefined;
    const properties: JsonObject = isObject(at.properties) ? at.properties : {};
    if (Object.hasOwn(properties, part)) {
      at = properties[part];
      continue;
    }
    if (at.additionalProperties !== false) return undefined;
    const names = Object.keys(properties);
    const hint = didYouMean(part, names) ?? (names.length === 0 ? undefined : `it has ${names.join(', ')}`);
    return {
      reason: `its schema allows no field '${part}' in ${way}`,
      ...(hint === undefined ? {} : { hint }),
    };
  }
  return undefined;
}

function notIn(way: string, types: readonly JsonValue[], part: string | number): Impossible {
  const what = typeof part === 'number' ? `element ${part}` : `field '${part}'`;
  return { reason: `its schema says that ${way} is ${types.join(' or ')}, which has no ${what}` };
}

function nameOf({ root, path }: Reference): string {
  return [root === 'value' ? 'input' : root, ...path].join('.');
}
