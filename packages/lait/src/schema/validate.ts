import { jsonEqual } from '../values/json-equal.js';
import { isObject, type JsonObject, type JsonValue, ownProperty, type Value } from '../values/value.js';
import { isOfType, isTypeName } from './type-names.js';

/** More problems of one value than this are counted, not listed. */
const mostProblems = 20;

/**
 * Checks a value against the part of JSON Schema that the seed names: `type` (also a list of types), `enum` and
 * `required`, through `properties` and `items`; everything else is left to the server. An integer is a number without
 * a fraction; unknown type names accept everything. Gives one sentence per problem with the place in the value, e.g.
 * `rows[0].k must be text, not a number`; none when the value fits. Source: steps seed, スキーマ; facts §9.
 *
 * @param name what the value is called in the sentences
 */
export function validateSubset(schema: JsonObject | boolean, value: Value, name = 'the value'): string[] {
  const checker = new Checker();
  checker.check(schema, value, name, 0);
  return checker.sentences();
}

class Checker {
  readonly #problems: string[] = [];
  #count = 0;

  sentences(): string[] {
    const left = this.#count - this.#problems.length;
    return left === 0 ? this.#problems : [...this.#problems, `${left} more problems`];
  }

  #add(problem: string): void {
    this.#count += 1;
    if (this.#problems.length < mostProblems) this.#problems.push(problem);
  }

  check(schema: Value, value: Value, place: string, depth: number): void {
    if (!isObject(schema) || depth > 1000) return;
    const type = ownProperty(schema, 'type');
    if (type !== undefined && !fitsType(type, value)) {
      this.#add(`${place} must be ${nameTypes(type)}, not ${describe(value)}`);
      return;
    }
    const allowed = ownProperty(schema, 'enum');
    if (Array.isArray(allowed) && !allowed.some((option) => jsonEqual(option, value))) {
      this.#add(`${place} must be one of ${list(allowed)}, not ${describe(value)}`);
    }
    if (isObject(value)) this.#checkObject(schema, value, place, depth);
    else if (Array.isArray(value)) this.#checkItems(ownProperty(schema, 'items'), value, place, depth);
  }

  #checkObject(schema: JsonObject, value: JsonObject, place: string, depth: number): void {
    const required = ownProperty(schema, 'required');
    if (Array.isArray(required)) {
      for (const key of required) {
        if (typeof key === 'string' && !Object.hasOwn(value, key))
          this.#add(`${member(place, key)} is missing`);
      }
    }
    const properties = ownProperty(schema, 'properties');
    if (!isObject(properties)) return;
    for (const [key, property] of Object.entries(properties)) {
      if (Object.hasOwn(value, key)) this.check(property, value[key], member(place, key), depth + 1);
    }
  }

  #checkItems(items: Value, value: readonly JsonValue[], place: string, depth: number): void {
    if (items === undefined || typeof items === 'boolean') return;
    value.forEach((item, index) => {
      const schema = Array.isArray(items) ? items[index] : items;
      this.check(schema, item, `${place}[${index}]`, depth + 1);
    });
  }
}

function fitsType(type: JsonValue, value: Value): boolean {
  if (Array.isArray(type)) return type.length === 0 || type.some((one) => fitsType(one, value));
  if (type === 'null') return value === null || value === undefined;
  return isOfType(type, value) ?? !isTypeName(type);
}

const spoken: Readonly<Record<string, string>> = {
  string: 'text',
  number: 'a number',
  integer: 'an integer',
  boolean: 'true or false',
  object: 'an object',
  array: 'an array',
  null: 'null',
};

function nameTypes(type: JsonValue): string {
  return (Array.isArray(type) ? type : [type]).map((one) => spoken[String(one)] ?? String(one)).join(' or ');
}

function describe(value: Value): string {
  if (value === null || value === undefined) return 'null';
  if (Array.isArray(value)) return 'an array';
  if (isObject(value)) return 'an object';
  return typeof value === 'string' ? `the text ${shorten(JSON.stringify(value))}` : String(value);
}

function list(values: readonly JsonValue[]): string {
  const shown = values.slice(0, 10).map((value) => shorten(JSON.stringify(value)));
  return values.length > shown.length ? `${shown.join(', ')}, …` : shown.join(', ');
}

function shorten(text: string): string {
  const characters = [...text.slice(0, 120)];
  return characters.length > 60 ? `${characters.slice(0, 59).join('')}…` : text;
}

function member(place: string, key: string): string {
  return /^[A-Za-z_$][\w$-]*$/.test(key) ? `${place}.${key}` : `${place}[${shorten(JSON.stringify(key))}]`;
}
