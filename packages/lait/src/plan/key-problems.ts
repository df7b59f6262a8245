import { isObject, type JsonValue } from '../values/value.js';
import type { FieldProblem } from './fields.js';

/** `api_key` and `api_key_cmd` exclude each other on one level. Source: facts §3. */
export function keyProblems(settings: JsonValue | undefined): FieldProblem[] {
  if (!isObject(settings) || !Object.hasOwn(settings, 'api_key') || !Object.hasOwn(settings, 'api_key_cmd')) {
    return [];
  }
  return [{ path: ['api_key_cmd'], message: 'api_key and api_key_cmd exclude each other: keep one of them' }];
}

/** The same for every entry of `models:`. */
export function modelKeyProblems(models: JsonValue | undefined): FieldProblem[] {
  if (!isObject(models)) return [];
  return Object.entries(models).flatMap(([alias, entries]) =>
    (Array.isArray(entries) ? entries : []).flatMap((entry, index) =>
      keyProblems(isObject(entry) ? entry.provider : undefined).map(({ path, message }) => ({
        path: [alias, index, 'provider', ...path],
        message,
      })),
    ),
  );
}
