import { isObject } from '../../values/value.js';
import type { UncheckedDefinition } from './definition.js';
import { DynamicWorkflowError } from './issue.js';
import { dropNulls } from './normalise.js';
import { copyPlainJson } from './plain-json.js';

/**
 * Takes over what a program calls a definition: a copy in plain JSON, without the nulls of optional members. Throws a
 * `DefinitionError` when it is no JSON, too large, or has no graph. Source: dynamic facts §1.
 */
export function prepareDefinition(given: unknown): UncheckedDefinition {
  const copy = copyPlainJson(given, 'workflow definition');
  if (!isObject(copy)) throw refused('A workflow definition must be an object.');
  dropNulls(copy);
  if (!Array.isArray(copy.graph)) throw refused('Workflow definition graph must be an array.');
  return copy as UncheckedDefinition;
}

function refused(message: string): DynamicWorkflowError {
  return new DynamicWorkflowError(
    message,
    [],
    [{ code: 'missing-field', severity: 'error', path: 'graph', message }],
  );
}
