import { copyProgramValue } from '../values/program-value.js';
import { isObject, type JsonObject, type JsonValue, setOwnProperty, type Value } from '../values/value.js';
import { type Constraint, constraintsOf } from './constraints.js';

/** One thing in a value that a schema refuses. */
export interface ValueProblem {
  path: (string | number)[];
  message: string;
}

export type StripResult = { ok: true; value: Value } | { ok: false; problems: readonly ValueProblem[] };

/** Checks a value and drops what the schema does not declare. */
export type StrippingSchema = (value: Value) => StripResult;

export interface StripOptions {
  /** Honours the keywords that are ignored otherwise: limits, patterns, formats, `additionalProperties`, defaults. */
  strict?: boolean;
  /**
   * The schema is a tool's, which may say more than this checks: keys that it describes in other ways are kept, and
   * what is not supported accepts everything. For an `input`, a property's `default` is put where it is missing, and
   * what no schema describes is copied, with null where there is no value: the tool may change what it gets.
   */
  tool?: 'input' | 'output';
}

/** A schema that cannot be used: says what in it is not supported. */
export class UnsupportedSchemaError extends Error {}

/**
 * Compiles a schema of the dynamic form. Undeclared keys of objects are dropped unless `additionalProperties` is
 * true; `type` (also a list), `properties`, `required`, `items`, `enum` and `const` are checked, nothing is coerced,
 * and an absent or boolean schema accepts everything. Throws an `UnsupportedSchemaError`. Source: dynamic facts §4,
 * input handling.
 */
export function compileDefinitionSchema(schema: unknown, options: StripOptions = {}): StrippingSchema {
  const check = compile(schema, options);
  return (value) => {
    const problems: ValueProblem[] = [];
    const stripped = check(value, problems);
    return problems.length === 0 ? { ok: true, value: stripped } : { ok: false, problems };
  };
}

/** One line for each problem: `- a.b: Invalid input: …`. The path of the whole value is empty. */
export function describeProblems(problems: readonly ValueProblem[]): string {
  return problems.map(({ path, message }) => `- ${path.join('.')}: ${message}`).join('\n');
}

/** Gives the value without what is not declared; adds to the problems what does not fit. */
type Check = (value: Value, problems: ValueProblem[]) => Value;

const anything: Check = (value) => value;
const anythingForTool: Check = (value) => copyProgramValue(value, true);

function anythingFor(options: StripOptions): Check {
  return options.tool === 'input' ? anythingForTool : anything;
}

function compile(schema: unknown, options: StripOptions): Check {
  if (!isObject(schema)) return anythingFor(options);
  if (options.tool === undefined) return compileKnown(schema, options);
  try {
    return compileKnown(schema, options);
  } catch (error) {
    if (error instanceof UnsupportedSchemaError) return anythingFor(options);
    throw error;
  }
}

function compileKnown(schema: JsonObject, options: StripOptions): Check {
  const { enum: allowed } = schema;
  const base = Object.hasOwn(schema, 'const')
    ? compileConstant(schema.const!)
    : Array.isArray(allowed) && allowed.length > 0
      ? compileEnum(allowed)
      : compileType(schema, options);
  return options.strict === true ? constrained(base, constraintsOf(schema)) : base;
}

function constrained(base: Check, constraints: readonly Constraint[]): Check {
  if (constraints.length === 0) return base;
  return (value, problems) => {
    const before = problems.length;
    const stripped = base(value, problems);
    if (problems.length > before || value === undefined) return stripped;
    for (const constraint of constraints) {
      const message = constraint(value);
      if (message !== undefined) problems.push({ path: [], message });
    }
    return stripped;
  };
}

function compileConstant(constant: JsonValue): Check {
  if (!isPrimitive(constant)) {
    throw new UnsupportedSchemaError(
      `Dynamic workflow schema uses a non-primitive "const" value (${shorten(JSON.stringify(constant))}). ` +
        'Only string, number, boolean, and null literals are supported.',
    );
  }
  return oneOf([constant], `Invalid input: expected ${literal(constant)}`);
}

function compileEnum(allowed: readonly JsonValue[]): Check {
  if (!allowed.every(isPrimitive)) {
    throw new UnsupportedSchemaError(
      'Dynamic workflow schema uses an "enum" with non-primitive members. ' +
        'Only string, number, boolean, and null enum members are supported.',
    );
  }
  if (allowed.length === 1) return oneOf(allowed, `Invalid input: expected ${literal(allowed[0]!)}`);
  const texts = allowed.every((member) => typeof member === 'string');
  return oneOf(
    allowed,
    texts ? `Invalid option: expected one of ${allowed.map(literal).join('|')}` : 'Invalid input',
  );
}

function oneOf(allowed: readonly JsonValue[], message: string): Check {
  const members = new Set<Value>(allowed);
  return (value, problems) => {
    if (!members.has(value)) problems.push({ path: [], message });
    return value;
  };
}

function compileType(schema: JsonObject, options: StripOptions): Check {
  const { type } = schema;
  if (type === undefined) return anythingFor(options);
  if (!Array.isArray(type)) return compileNamedType(type, schema, options);
  const alternatives = type.map((name) => compileNamedType(name, schema, options));
  if (alternatives.length === 1) return alternatives[0]!;
  return (value, problems) => {
    for (const alternative of alternatives) {
      const tried: ValueProblem[] = [];
      const stripped = alternative(value, tried);
      if (tried.length === 0) return stripped;
    }
    problems.push({ path: [], message: 'Invalid input' });
    return value;
  };
}

function compileNamedType(type: JsonValue, schema: JsonObject, options: StripOptions): Check {
  switch (type) {
    case 'string':
    case 'boolean':
      return expecting(type, (value) => typeof value === type);
    case 'number':
      return expecting(type, Number.isFinite);
    case 'null':
      return expecting(type, (value) => value === null);
    case 'integer':
      return checkInteger;
    case 'array':
      return compileArray(schema, options);
    case 'object':
      return compileObject(schema, options);
    default:
      throw new UnsupportedSchemaError(
        `Dynamic workflow schema uses unsupported JSON Schema type "${shorten(String(type))}". ` +
          'This converter only supports object, array, string, number, integer, boolean, null, and enum.',
      );
  }
}

function expecting(type: string, fits: (value: Value) => boolean): Check {
  return (value, problems) => {
    if (!fits(value))
      problems.push({ path: [], message: `Invalid input: expected ${type}, received ${typeName(value)}` });
    return value;
  };
}

const checkInteger: Check = (value, problems) => {
  const refuse = (message: string) => problems.push({ path: [], message });
  if (!Number.isFinite(value)) refuse(`Invalid input: expected number, received ${typeName(value)}`);
  else if (!Number.isInteger(value)) refuse('Invalid input: expected int, received number');
  else if ((value as number) > Number.MAX_SAFE_INTEGER)
    refuse(`Too big: expected int to be <=${Number.MAX_SAFE_INTEGER}`);
  else if ((value as number) < Number.MIN_SAFE_INTEGER)
    refuse(`Too small: expected int to be >=${Number.MIN_SAFE_INTEGER}`);
  return value;
};

function compileArray(schema: JsonObject, options: StripOptions): Check {
  const { items } = schema;
  if (Array.isArray(items)) {
    throw new UnsupportedSchemaError(
      'Dynamic workflow schema uses tuple-form "items" (an array of positional schemas). ' +
        'Only a single item schema is supported; use "items": { ... } instead.',
    );
  }
  const item = compile(items, options);
  return (value, problems) => {
    if (!Array.isArray(value)) {
      problems.push({ path: [], message: `Invalid input: expected array, received ${typeName(value)}` });
      return value;
    }
    if (item === anything) return value;
    return value.map((element, index) => inside(index, item, element, problems)) as JsonValue[];
  };
}

interface CompiledProperty {
  key: string;
  check: Check;
  required: boolean;
  default: Value;
}

function compileObject(schema: JsonObject, options: StripOptions): Check {
  const required = new Set<JsonValue>(Array.isArray(schema.required) ? schema.required : []);
  const declared = isObject(schema.properties) ? schema.properties : {};
  const usesDefaults = options.tool === 'input' || options.strict === true;
  const properties = Object.entries(declared).map(([key, property]): CompiledProperty => {
    const fallback = usesDefaults && isObject(property) ? property.default : undefined;
    return { key, check: compile(property, options), required: required.has(key), default: fallback };
  });
  const undeclared =
    options.strict === true
      ? [...required].filter((key) => typeof key === 'string' && !Object.hasOwn(declared, key))
      : [];
  const extras = compileExtras(schema, options);
  return (value, problems) => {
    if (typeof value !== 'object' || value === null || Array.isArray(value)) {
      problems.push({ path: [], message: `Invalid input: expected object, received ${typeName(value)}` });
      return value;
    }
    const stripped: JsonObject = {};
    for (const property of properties) copyProperty(property, value, stripped, problems);
    for (const key of undeclared as string[]) {
      if (!Object.hasOwn(value, key)) problems.push({ path: [key], message: missingMessage });
    }
    if (extras !== undefined) {
      for (const key of Object.keys(value)) {
        if (!Object.hasOwn(declared, key))
          setOwnProperty(stripped, key, inside(key, extras, value[key], problems));
      }
    }
    return stripped;
  };
}

const missingMessage = 'Invalid input: expected nonoptional, received undefined';

function copyProperty(
  { key, check, required, default: fallback }: CompiledProperty,
  value: JsonObject,
  stripped: JsonObject,
  problems: ValueProblem[],
): void {
  const own = Object.hasOwn(value, key);
  const member: Value = own ? value[key] : undefined;
  if (member !== undefined) setOwnProperty(stripped, key, inside(key, check, member, problems));
  else if (fallback !== undefined) setOwnProperty(stripped, key, structuredClone(fallback));
  else if (own && check === anythingForTool) setOwnProperty(stripped, key, null);
  else if (required) {
    const before = problems.length;
    inside(key, check, undefined, problems);
    if (problems.length > before) return;
    // A key that holds nothing is there: so does a branch that did not run fill it.
    if (own) setOwnProperty(stripped, key, undefined);
    else problems.push({ path: [key], message: missingMessage });
  } else if (own) setOwnProperty(stripped, key, undefined);
}

/** What happens to undeclared keys: kept as they are, checked and kept, refused, or (undefined) dropped. */
function compileExtras(schema: JsonObject, options: StripOptions): Check | undefined {
  const { additionalProperties } = schema;
  if (additionalProperties === true) return anythingFor(options);
  if (options.tool !== undefined && describesMoreKeys(schema)) return anythingFor(options);
  if (options.strict !== true) return undefined;
  if (isObject(additionalProperties)) return compile(additionalProperties, options);
  if (additionalProperties !== false) return undefined;
  return (value, problems) => {
    problems.push({ path: [], message: 'Unrecognized key' });
    return value;
  };
}

/** Runs a check on a member; its problems get the member's key in front. */
function inside(key: string | number, check: Check, value: Value, problems: ValueProblem[]): Value {
  const before = problems.length;
  const stripped = check(value, problems);
  for (let index = before; index < problems.length; index += 1) problems[index]!.path.unshift(key);
  return stripped;
}

export function isPrimitive(value: JsonValue): boolean {
  return value === null || typeof value !== 'object';
}

function literal(value: JsonValue): string {
  return typeof value === 'string' ? `"${value}"` : String(value);
}

function typeName(value: unknown): string {
  if (value === null) return 'null';
  if (Array.isArray(value)) return 'array';
  if (typeof value === 'number' && !Number.isFinite(value)) return Number.isNaN(value) ? 'NaN' : 'Infinity';
  return typeof value;
}

function shorten(text: string): string {
  return text.length <= 100 ? text : `${text.slice(0, 99)}…`;
}

/** True when keys beside `properties` may be meant: dropping them would lose data. */
function describesMoreKeys(schema: JsonObject): boolean {
  if (isObject(schema.additionalProperties)) return true;
  return ['patternProperties', 'allOf', 'anyOf', 'oneOf', '$ref', 'if'].some((keyword) =>
    Object.hasOwn(schema, keyword),
  );
}
