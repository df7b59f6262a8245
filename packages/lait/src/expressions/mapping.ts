import { StepError } from '../errors/errors.js';
import { type JsonObject, type JsonValue, setOwnProperty, type Value } from '../values/value.js';
import { readContext, referenceTo } from './dynamic-root.js';
import type { Expression, Reference } from './expression.js';
import { lookUp, splitPath } from './path.js';
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
 * Compiles a mapping to one closure that builds the output object. A last segment that leads nowhere leaves the key
 * without a value; an earlier one throws a `StepError` (code `invalid_path`).
 */
export function compileMapping(entries: readonly MappingEntry[], source: string): Expression<JsonObject> {
  const references: Reference[] = [];
  const compiled = entries.map(({ key, source: from }) => ({ key, read: compileSource(from, references) }));
  return {
    language: 'mapping',
    source,
    references,
    evaluate: (scope) => {
      const output: JsonObject = {};
      for (const { key, read } of compiled) setOwnProperty(output, key, read(scope));
      return output;
    },
  };
}

function compileSource(source: MappingSource, references: Reference[]): (scope: Scope) => Value {
  switch (source.type) {
    case 'value':
      return () => source.value;
    case 'template': {
      const template = compilePlaceholderTemplate(source.template);
      references.push(...template.references);
      return template.evaluate;
    }
    case 'requestContext':
      references.push(referenceTo('requestContext', [source.key]));
      return (scope) => readContext(source.key, scope);
    case 'initData': {
      const { path } = source;
      const segments = splitPath(path);
      references.push(referenceTo('initData', segments));
      return (scope) => follow(scope.inputs, segments, path, 'initData');
    }
    case 'step': {
      const { ids, path } = source;
      const segments = splitPath(path);
      references.push(...ids.map((id) => referenceTo('stepResults', [id, ...segments])));
      const name = `step ${ids.join('|')}`;
      return (scope) => {
        const id = ids.find((candidate) => scope.hasStep(candidate) && scope.step(candidate) !== null);
        return follow(id === undefined ? null : scope.step(id), segments, path, name);
      };
    }
  }
}

function follow(value: Value, segments: readonly string[], path: string, name: string): Value {
  const found = lookUp(value, segments);
  if (found.status === 'found') return found.value;
  if (found.status === 'absent') return undefined;
  throw new StepError({ code: 'invalid_path', message: `Invalid path ${path} in ${name}` });
}
