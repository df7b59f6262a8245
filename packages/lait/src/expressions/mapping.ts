import { StepError } from '../errors/errors.js';
import { type JsonObject, type JsonValue, setOwnProperty, type Value } from '../values/value.js';
import { readContext, referenceTo } from './dynamic-root.js';
import type { Expression, Reference } from './expression.js';
import { absent, broken, lookUp, splitPath } from './path.js';
import { compilePlaceholderTemplate, type ParsedTemplate } from './placeholder-template.js';
import type { Scope } from './scope.js';

/** Where one key of a mapping takes its value from, checked and told apart. Source: dynamic seed, Mapping ステップ. */
export type MappingSource =
  | { type: 'value'; value: JsonValue }
  | { type: 'template'; template: ParsedTemplate }
  | { type: 'initData'; path: string }
  /** The first of the steps whose result is not null. */
  | { type: 'step'; ids: readonly string[]; path: string }
  | { type: 'requestContext'; key: string };

/** One key of the output with its source, in the order of the definition. */
export interface MappingEntry {
  key: string;
  source: MappingSource;
}

/**
 * Compiles a mapping to an expression that builds the output object. A last segment that leads nowhere leaves the key
 * without a value; an earlier one throws a `StepError` (code `invalid_path`).
 */
export function compileMapping(entries: readonly MappingEntry[], source: string): Expression<JsonObject> {
  return new CompiledMapping(
    source,
    entries.map(({ key, source: from }) => compileKey(key, from)),
  );
}

// Classes, not closures: a long chain finds every mapping outside of the processor's caches, and a closure, its context
// and what that holds are three places to wait for where an object is one.

class CompiledMapping implements Expression<JsonObject> {
  readonly language = 'mapping';

  constructor(
    readonly source: string,
    private readonly keys: readonly MappedKey[],
  ) {}

  get references(): Reference[] {
    return this.keys.flatMap(({ references }) => references);
  }

  evaluate(scope: Scope): JsonObject {
    const output: JsonObject = {};
    for (const mapped of this.keys) setOwnProperty(output, mapped.key, mapped.read(scope));
    return output;
  }
}

/** One key of the output, and how its value is read. */
interface MappedKey {
  readonly key: string;
  readonly references: readonly Reference[];
  read(scope: Scope): Value;
}

function compileKey(key: string, source: MappingSource): MappedKey {
  switch (source.type) {
    case 'value':
      return new Constant(key, source.value);
    case 'template':
      return new Text(key, compilePlaceholderTemplate(source.template));
    case 'requestContext':
      return new ContextValue(key, source.key);
    case 'initData':
      return new InputPart(key, source.path, splitPath(source.path));
    case 'step':
      return new ResultPart(key, source.ids, source.path, splitPath(source.path));
  }
}

class Constant implements MappedKey {
  constructor(
    readonly key: string,
    private readonly value: JsonValue,
  ) {}

  get references(): Reference[] {
    return [];
  }

  read(): JsonValue {
    return this.value;
  }
}

class Text implements MappedKey {
  constructor(
    readonly key: string,
    private readonly template: Expression<string>,
  ) {}

  get references(): readonly Reference[] {
    return this.template.references;
  }

  read(scope: Scope): string {
    return this.template.evaluate(scope);
  }
}

class ContextValue implements MappedKey {
  constructor(
    readonly key: string,
    private readonly name: string,
  ) {}

  get references(): Reference[] {
    return [referenceTo('requestContext', [this.name])];
  }

  read(scope: Scope): Value {
    return readContext(this.name, scope);
  }
}

class InputPart implements MappedKey {
  constructor(
    readonly key: string,
    private readonly path: string,
    private readonly segments: readonly string[],
  ) {}

  get references(): Reference[] {
    return [referenceTo('initData', this.segments)];
  }

  read(scope: Scope): Value {
    return follow(scope.inputs, this.segments, this.path, 'initData');
  }
}

class ResultPart implements MappedKey {
  readonly #name: string;

  constructor(
    readonly key: string,
    private readonly ids: readonly string[],
    private readonly path: string,
    private readonly segments: readonly string[],
  ) {
    this.#name = `step ${ids.join('|')}`;
  }

  get references(): Reference[] {
    return this.ids.map((id) => referenceTo('stepResults', [id, ...this.segments]));
  }

  read(scope: Scope): Value {
    const id = this.ids.find((candidate) => scope.hasStep(candidate) && scope.step(candidate) !== null);
    const result = id === undefined ? null : scope.step(id);
    return follow(result, this.segments, this.path, this.#name);
  }
}

function follow(value: Value, segments: readonly string[], path: string, name: string): Value {
  const found = lookUp(value, segments);
  if (found === broken)
    throw new StepError({ code: 'invalid_path', message: `Invalid path ${path} in ${name}` });
  return found === absent ? undefined : found;
}
