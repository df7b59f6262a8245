import type { Expression } from '../../expressions/expression.js';
import type { ExpressionOrigins } from '../../plan/expression-origins.js';
import type { Field, FieldProblem, FieldTable, FieldType } from '../../plan/fields.js';
import { isName, nameRule } from '../../plan/names.js';
import type { Block } from '../../plan/plan.js';
import type { Problem, Problems, TextRange } from '../../plan/problems.js';
import { didYouMean } from '../../plan/suggest.js';
import { jsonOf } from '../../plan/yaml/json-of.js';
import { nodeAt } from '../../plan/yaml/node-at.js';
import {
  describe,
  type ListNode,
  type MapNode,
  type SourceNode,
  shorten,
} from '../../plan/yaml/source-node.js';
import type { SchemaSource } from '../../schema/schema-source.js';
import { isObject, setOwnProperty } from '../../values/value.js';
import {
  compileChoice,
  compileJqField,
  compileNumber,
  compileTemplateField,
  compileText,
} from './compile-scalar.js';
import { compileSchema } from './compile-schema.js';
import { fits, isEmpty, nameOf } from './field-types.js';
import { inside, type Place } from './place.js';

export interface FieldCompilerOptions {
  problems: Problems;
  origins: ExpressionOrigins;
  /** Where `{file: …}` starts from. Default: the current directory. */
  directory?: string;
  /** The schema of a name; undefined when there is none. Default: no schema has a name. */
  schema?(name: string): SchemaSource | undefined;
  schemaNames?(): readonly string[];
  /** Compiles a list of steps. Needed by tables that have fields with steps. */
  block?(node: ListNode, path: string): Block;
}

export interface TableOptions {
  /** What the table describes, with an article: `a jq step`, `retry`. */
  what: string;
  /** Values that are known already, by field. */
  given?: Readonly<Record<string, unknown>>;
  /** A repair for fields that people write by habit, e.g. those of version 1. */
  unknown?(key: string): string | undefined;
  /** How the place of one field is named. Default: joined with a dot. */
  place?(key: string): Place;
}

/**
 * Checks nodes against field tables and compiles them by it. Every problem is collected with its place; a wrong value
 * becomes `undefined`, and whoever uses it compares `problems.errors` before and after.
 */
export class FieldCompiler {
  readonly #compiled = new Map<(source: string) => Expression, Map<string, Expression>>();

  constructor(readonly options: FieldCompilerOptions) {}

  get problems(): Problems {
    return this.options.problems;
  }

  /** The fields of a mapping. Undefined when the node is no mapping. */
  table(
    node: SourceNode,
    table: FieldTable,
    place: Place,
    options: TableOptions,
  ): Record<string, unknown> | undefined {
    if (node.type !== 'map') {
      this.wrongType(node, place, 'a mapping');
      return undefined;
    }
    const placeOf = options.place ?? ((key: string) => inside(place, key));
    for (const { key, keyRange } of node.entries.values()) {
      if (!Object.hasOwn(table, key)) this.#unknownField(key, keyRange, table, place, options);
    }
    const fields: Record<string, unknown> = {};
    for (const [key, field] of Object.entries(table)) {
      const entry = node.entries.get(key);
      if (entry === undefined) {
        if (field.required === true) this.#missing(key, node, place, options);
        continue;
      }
      const given = options.given !== undefined && Object.hasOwn(options.given, key);
      fields[key] = given ? options.given![key] : this.value(field, entry.value, placeOf(key));
      this.#requires(field, key, node, place);
    }
    this.#effectiveSchemaName(table, fields, node, place);
    return fields;
  }

  /** One value; `undefined` when it is wrong. */
  value(type: FieldType, node: SourceNode, place: Place): unknown {
    switch (type.type) {
      case 'jq':
        return compileJqField(node, place, this);
      case 'template':
        return compileTemplateField(type, node, place, this);
      case 'text':
        return compileText(type, node, place, this);
      case 'integer':
      case 'number':
        return compileNumber(type, node, place, this);
      case 'boolean':
        if (node.type === 'scalar' && typeof node.value === 'boolean') return node.value;
        return this.wrongType(node, place, 'true or false');
      case 'choice':
        return compileChoice(type.values, node, place, this);
      case 'list':
        return this.#list(type, node, place);
      case 'map':
        return this.#map(type, node, place);
      case 'object':
        return this.table(node, type.fields, place, { what: `'${place.field}'` });
      case 'variants':
        return this.#variants(type, node, place);
      case 'block':
        return this.#block(node, place);
      case 'schema':
        return compileSchema(node, place, this, type.unnamed);
      case 'union':
        return this.#union(type.options, node, place);
      case 'json':
        return this.json(node);
      case 'empty':
        if (isEmpty(node)) return null;
        return this.wrongType(node, place, 'empty');
      case 'custom': {
        const value = this.json(node);
        this.addAll(type.check(value), node, place);
        return value;
      }
    }
  }

  /** Equal sources share what they are compiled to; each place has an expression of its own, which tells it apart. */
  compiledOnce<T extends Expression>(source: string, compile: (source: string) => T): T {
    let known = this.#compiled.get(compile) as Map<string, T> | undefined;
    if (known === undefined) {
      known = new Map();
      this.#compiled.set(compile, known);
    }
    let expression = known.get(source);
    if (expression === undefined) {
      expression = compile(source);
      known.set(source, expression);
    }
    return { ...expression };
  }

  json(node: SourceNode) {
    return jsonOf(node, (problem) => this.problems.add(problem));
  }

  add(problem: Problem, place: Place): void {
    this.problems.add({ ...problem, path: place.path, id: place.id });
  }

  /** Problems that a kind or room found: their paths lead from `node`. */
  addAll(found: readonly FieldProblem[], node: SourceNode, place: Place): void {
    for (const { path: way, message, hint } of found) {
      const range = nodeAt(node, way).range;
      this.add(
        {
          code: 'bad_value',
          message: `${place.field === '' ? '' : `${place.field}: `}${message}`,
          range,
          hint,
        },
        place,
      );
    }
  }

  #list(type: Extract<FieldType, { type: 'list' }>, node: SourceNode, place: Place): unknown[] | undefined {
    if (node.type !== 'list') return this.wrongType(node, place, 'a list');
    this.#atLeast(type.minItems, node.items.length, node, place);
    return node.items.map((item, index) =>
      this.value(type.items, item, {
        ...place,
        field: `${place.field}[${index}]`,
        block: `${place.block}[${index}]`,
      }),
    );
  }

  #map(type: Extract<FieldType, { type: 'map' }>, node: SourceNode, place: Place): object | undefined {
    if (node.type !== 'map') return this.wrongType(node, place, 'a mapping');
    this.#atLeast(type.minEntries, node.entries.size, node, place);
    const values = {};
    for (const { key, keyRange, value } of node.entries.values()) {
      if (type.names === 'identifier') this.checkName(key, keyRange, place);
      setOwnProperty(values, key, this.value(type.values, value, inside(place, key)));
    }
    return values;
  }

  #variants(type: Extract<FieldType, { type: 'variants' }>, node: SourceNode, place: Place) {
    const { tag, tables } = type;
    if (node.type !== 'map') return this.wrongType(node, place, `a mapping with ${tag}`);
    const choice: Field = {
      type: 'choice',
      values: Object.keys(tables),
      required: true,
      description: `One of ${Object.keys(tables).join(', ')}.`,
    };
    const written = node.entries.get(tag)?.value;
    const name = written?.type === 'scalar' ? String(written.value) : '';
    const table = Object.hasOwn(tables, name) ? tables[name]! : undefined;
    if (table !== undefined)
      return this.table(node, { [tag]: choice, ...table }, place, {
        what: `'${place.field}' of type ${name}`,
      });
    // Without a table nothing can be said about the other fields.
    if (written === undefined) this.#missing(tag, node, place, { what: `'${place.field}'` });
    else this.value(choice, written, inside(place, tag));
    return undefined;
  }

  checkName(name: string, range: TextRange | undefined, place: Place): void {
    if (isName(name)) return;
    this.add(
      { code: 'bad_name', message: `${place.field}: the name '${shorten(name)}' must be ${nameRule}`, range },
      place,
    );
  }

  #block(node: SourceNode, place: Place): Block | undefined {
    if (node.type !== 'list') return this.wrongType(node, place, 'a list of steps');
    this.#atLeast(1, node.items.length, node, place, 'step');
    return this.options.block!(node, place.block);
  }

  #union(options: readonly FieldType[], node: SourceNode, place: Place): unknown {
    const option = options.find((one) => fits(one, node));
    if (option !== undefined) return this.value(option, node, place);
    return this.wrongType(node, place, options.map(nameOf).join(', or '));
  }

  #atLeast(minimum: number | undefined, count: number, node: SourceNode, place: Place, what = 'entry'): void {
    if (minimum === undefined || count >= minimum) return;
    const message = `${place.field} must hold at least ${minimum === 1 ? `one ${what}` : `${minimum} entries`}`;
    this.add({ code: 'too_few_entries', message, range: node.range }, place);
  }

  /** Reports a value that is not what is `wanted`, which is named with its article. */
  wrongType(node: SourceNode, place: Place, wanted: string): undefined {
    const message = `${place.field} must be ${wanted}, not ${describe(node)}`;
    const hint = isEmpty(node)
      ? 'give a value, or remove the field'
      : /text|jq|name/.test(wanted)
        ? this.#quoted(node, wanted)
        : listHint(wanted);
    this.add({ code: 'wrong_type', message, hint, range: node.range }, place);
    return undefined;
  }

  /**
   * How a value becomes text: jq like `{a: .b}` and `[.x]`, `{{ input }}`, `true` and `1.10` are no text without
   * quotes.
   */
  #quoted(node: SourceNode, wanted: string): string | undefined {
    const { text } = this.problems.source;
    const { start = 0, end = 0 } = node.range ?? {};
    const written = node.type === 'scalar' ? node.written : text.slice(start, end);
    const isShort =
      /^[^\n']{1,60}$/.test(written) &&
      (node.type === 'scalar' || /^\{\{/.test(written) || (/jq/.test(wanted) && /^[{[]/.test(written)));
    return isShort ? `write it in quotes: '${written}'` : undefined;
  }

  #unknownField(
    key: string,
    range: TextRange | undefined,
    table: FieldTable,
    place: Place,
    options: TableOptions,
  ): void {
    const allowed = Object.keys(table);
    this.add(
      {
        code: 'unknown_field',
        message: `'${shorten(key)}' is not a field of ${options.what}; allowed are ${allowed.join(', ')}`,
        hint: options.unknown?.(key) ?? didYouMean(key, allowed),
        range,
      },
      place,
    );
  }

  #missing(key: string, node: MapNode, place: Place, options: TableOptions): void {
    const first = node.entries.values().next().value?.keyRange;
    this.add(
      { code: 'missing_field', message: `${options.what} needs '${key}'`, range: first ?? node.range },
      place,
    );
  }

  #requires(field: Field, key: string, node: MapNode, place: Place): void {
    if (field.requires === undefined || node.entries.has(field.requires)) return;
    const range = node.entries.get(key)?.keyRange;
    this.add(
      { code: 'requires_field', message: `'${key}' needs '${field.requires}' beside it`, range },
      place,
    );
  }

  /** The name under `schemas:` is sent to the server, which allows 64 characters. Source: facts §4. */
  #effectiveSchemaName(
    table: FieldTable,
    fields: Record<string, unknown>,
    node: MapNode,
    place: Place,
  ): void {
    const schema = fields.output_schema;
    if (!Object.hasOwn(table, 'schema_name') || fields.schema_name !== undefined || !isObject(schema)) return;
    const name = (schema as unknown as SchemaSource).name;
    if (name === undefined || name.length <= 64) return;
    const message = `output_schema: the name '${shorten(name)}' is sent to the server and may have 64 characters at most`;
    const hint = 'give a shorter one with schema_name';
    this.add(
      { code: 'bad_value', message, hint, range: node.entries.get('output_schema')?.value.range },
      place,
    );
  }
}

function listHint(wanted: string): string | undefined {
  if (wanted === 'a list of steps') return 'begin each step with `- `';
  return wanted === 'a list' ? 'a list stands in brackets, with commas: [a, b]' : undefined;
}
