import { isPlainPath } from '../../../expressions/path.js';
import { predicateParts } from '../../../expressions/predicate.js';
import { isObject, type JsonObject, type JsonValue } from '../../../values/value.js';
import type { Issue, Problem } from '../issue.js';
import { type KnownSchema, schemaAt, typeOf } from '../schema-shape.js';

/** What a predicate can see at its place. */
export interface PredicateView {
  inputData: KnownSchema;
  initData: KnownSchema;
  state: KnownSchema;
  /** The steps that have run by then, with what is known of their output. */
  results: ReadonlyMap<string, KnownSchema>;
}

export interface PredicateFindings {
  issues: Issue[];
  problems: Problem[];
}

/**
 * Checks one predicate: its form, and that its paths lead somewhere. A malformed part is a problem, a path that does
 * not resolve is an issue. Source: dynamic facts §3 and §5.
 */
export function checkPredicate(
  predicate: JsonValue | undefined,
  path: string,
  view: PredicateView,
  findings: PredicateFindings,
): void {
  if (
    !isObject(predicate) ||
    typeof predicate.op !== 'string' ||
    !Object.hasOwn(predicateParts, predicate.op)
  ) {
    malformed(path, `A predicate needs an op: one of ${Object.keys(predicateParts).join(', ')}.`, findings);
    return;
  }
  for (const { key, type } of predicateParts[predicate.op as keyof typeof predicateParts]) {
    const part = predicate[key];
    const place = `${path}.${key}`;
    if (type === 'predicate') checkPredicate(part, place, view, findings);
    else if (type === 'path') checkPath(part, place, view, findings);
    else if (type === 'operand') checkOperand(part, place, view, findings);
    else if (!Array.isArray(part)) malformed(place, `${predicate.op} needs a list of predicates.`, findings);
    else {
      part.forEach((argument, index) => {
        checkPredicate(argument, `${place}.${index}`, view, findings);
      });
    }
  }
}

function checkOperand(
  operand: JsonValue | undefined,
  place: string,
  view: PredicateView,
  findings: PredicateFindings,
): void {
  if (!isObject(operand)) {
    malformed(place, 'An operand is { "path": … } or { "literal": … }.', findings);
    return;
  }
  // Beside a literal the path is never read, and checked all the same.
  if (Object.hasOwn(operand, 'path')) checkPath(operand.path, `${place}.path`, view, findings);
}

function checkPath(
  path: JsonValue | undefined,
  place: string,
  view: PredicateView,
  findings: PredicateFindings,
): void {
  if (typeof path !== 'string') {
    malformed(place, 'A predicate path is a text.', findings);
    return;
  }
  const message = pathProblem(path, view);
  if (message !== undefined)
    findings.issues.push({ code: 'invalid-predicate-reference', path: place, message });
}

function pathProblem(path: string, view: PredicateView): string | undefined {
  const roots = 'initData, inputData, stepResults, or state';
  if (!isPlainPath(path)) return `Predicate paths must use plain dotted segments rooted at ${roots}.`;
  const [root, ...segments] = path.split('.');
  switch (root) {
    case 'inputData':
    case 'initData':
    case 'state':
      return leadsNowhere(view[root], segments)
        ? `Predicate path "${path}" does not exist in the known schema.`
        : undefined;
    case 'stepResults': {
      const [id, ...rest] = segments;
      if (id === undefined) return 'Predicate stepResults paths must include a preceding top-level step id.';
      if (!view.results.has(id))
        return `Predicate step result "${id}" must reference a preceding top-level step.`;
      return leadsNowhere(view.results.get(id), rest)
        ? `Predicate path "${path}" does not exist in the known schema.`
        : undefined;
    }
    default:
      return `Predicate paths must be rooted at ${roots}.`;
  }
}

/** Only a schema that names one type is certain enough to object to a path. */
function leadsNowhere(schema: KnownSchema, segments: readonly string[]): boolean {
  return segments.length > 0 && typeOf(schema) !== undefined && schemaAt(schema, segments) === undefined;
}

function malformed(path: string, message: string, findings: PredicateFindings): void {
  findings.problems.push({ code: 'invalid-predicate', path, message });
}

/** The predicates of a conditional as far as they are there; nothing when they are no list. */
export function predicatesOf(entry: JsonObject): JsonValue[] {
  return Array.isArray(entry.predicates) ? entry.predicates : [];
}
