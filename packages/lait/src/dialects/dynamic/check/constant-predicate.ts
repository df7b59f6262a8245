import { isObject, type JsonValue } from '../../../values/value.js';
import { type KnownSchema, schemaAt, typeOf } from '../schema-shape.js';

/** The schema of a predicate path, as far as it is known. */
export type SchemaOfPath = (path: string) => KnownSchema;

/**
 * What a predicate comes to whatever the input is, or undefined when that depends. Literals are compared; a literal
 * whose type a declared schema rules out never matches.
 */
export function constantOutcome(
  predicate: JsonValue | undefined,
  schemaOf: SchemaOfPath,
): boolean | undefined {
  if (!isObject(predicate)) return undefined;
  const { op, left, right, value, set, args, arg } = predicate;
  switch (op) {
    case 'and':
    case 'or': {
      if (!Array.isArray(args)) return undefined;
      const outcomes = args.map((argument) => constantOutcome(argument, schemaOf));
      const decisive = op === 'or';
      if (outcomes.includes(decisive)) return decisive;
      return outcomes.every((outcome) => outcome === !decisive) ? !decisive : undefined;
    }
    case 'not': {
      const outcome = constantOutcome(arg, schemaOf);
      return outcome === undefined ? undefined : !outcome;
    }
    case 'truthy':
    case 'falsy': {
      const literal = literalOf(value);
      return literal === undefined ? undefined : Boolean(literal.value) === (op === 'truthy');
    }
    case 'in':
      return membership(value, set, schemaOf);
    case 'notIn': {
      // A path that leads nowhere is in no set, so only literals are certain.
      const literal = literalOf(value);
      return literal === undefined || !Array.isArray(set) ? undefined : !set.includes(literal.value);
    }
    case 'eq':
    case 'ne':
    case 'lt':
    case 'lte':
    case 'gt':
    case 'gte':
      return comparison(op, left, right, schemaOf);
    default:
      return undefined;
  }
}

function membership(
  value: JsonValue | undefined,
  set: JsonValue | undefined,
  schemaOf: SchemaOfPath,
): boolean | undefined {
  if (!Array.isArray(set) || set.length === 0) return false;
  const literal = literalOf(value);
  if (literal !== undefined) return set.includes(literal.value);
  return set.every((member) => ruledOut(member, pathOf(value), schemaOf)) ? false : undefined;
}

function comparison(
  op: string,
  left: JsonValue | undefined,
  right: JsonValue | undefined,
  schemaOf: SchemaOfPath,
): boolean | undefined {
  const one = literalOf(left);
  const other = literalOf(right);
  if (one !== undefined && other !== undefined) return compareLiterals(op, one.value, other.value);
  // `ne` with a value of another type holds whenever the value is there, which is not certain.
  if (op === 'ne') return undefined;
  if (one !== undefined && ruledOut(one.value, pathOf(right), schemaOf)) return false;
  return other !== undefined && ruledOut(other.value, pathOf(left), schemaOf) ? false : undefined;
}

function compareLiterals(op: string, left: JsonValue, right: JsonValue): boolean {
  // Two literals are never the same object, so objects and arrays never equal.
  if (op === 'eq') return left === right;
  if (op === 'ne') return left !== right;
  const comparable = typeof left === typeof right && (typeof left === 'number' || typeof left === 'string');
  if (!comparable || left === null || right === null) return false;
  if (op === 'lt') return left < right;
  if (op === 'lte') return left <= right;
  return op === 'gt' ? left > right : left >= right;
}

function ruledOut(literal: JsonValue, path: string | undefined, schemaOf: SchemaOfPath): boolean {
  if (isObject(literal) || Array.isArray(literal)) return true;
  if (path === undefined) return false;
  const schema = schemaOf(path);
  const type = typeOf(schema);
  if (type === undefined) return false;
  if (
    type !==
    (literal === null
      ? 'null'
      : type === 'integer' && typeof literal === 'number'
        ? 'integer'
        : typeof literal)
  ) {
    return true;
  }
  return (
    isObject(schema) && Array.isArray(schema.enum) && schema.enum.length > 0 && !schema.enum.includes(literal)
  );
}

function literalOf(operand: JsonValue | undefined): { value: JsonValue } | undefined {
  return isObject(operand) && Object.hasOwn(operand, 'literal') ? { value: operand.literal! } : undefined;
}

function pathOf(operand: JsonValue | undefined): string | undefined {
  return isObject(operand) && typeof operand.path === 'string' ? operand.path : undefined;
}

/** Looks a predicate's or placeholder's path up in what is known at its place. */
export function schemaOfPath(
  path: string,
  view: {
    inputData: KnownSchema;
    initData: KnownSchema;
    state: KnownSchema;
    results: ReadonlyMap<string, KnownSchema>;
  },
): KnownSchema {
  const [root, ...segments] = path.split('.');
  if (root === 'inputData' || root === 'initData' || root === 'state') return schemaAt(view[root], segments);
  return root === 'stepResults'
    ? schemaAt(view.results.get(segments[0] ?? ''), segments.slice(1))
    : undefined;
}
