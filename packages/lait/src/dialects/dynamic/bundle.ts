import type { UncheckedDefinition } from './definition.js';
import { leavesOf, readEntries } from './entries.js';
import { DynamicWorkflowError } from './issue.js';

/** The id under which a definition is registered. The reference lets definitions through that have none. */
export function idOf(definition: UncheckedDefinition): string {
  return String(definition.id);
}

/** Refuses a bundle in which an id appears twice. Source: dynamic facts §1.3. */
export function requireUniqueIds(definitions: readonly UncheckedDefinition[]): void {
  const seen = new Set<string>();
  for (const definition of definitions) {
    const id = idOf(definition);
    if (seen.has(id)) {
      throw bundleError(
        `Dynamic workflow bundle contains more than one definition with id "${id}". Ids must be unique within a bundle.`,
        'id',
      );
    }
    seen.add(id);
  }
}

/** The ids of the workflows that a definition calls. */
function calledWorkflows(definition: UncheckedDefinition): Set<string> {
  const { sites } = readEntries(definition.graph);
  return new Set(
    leavesOf(sites)
      .filter(({ type }) => type === 'workflow')
      .map(({ entry }) => String(entry.workflowId)),
  );
}

/**
 * Sorts definitions so that each comes behind those it calls. Definitions in a cycle, and those that lead into one,
 * are left over, by id. Source: dynamic facts §1.3.
 */
export function orderByDependency(definitions: readonly UncheckedDefinition[]): {
  ordered: UncheckedDefinition[];
  circular: string[];
} {
  const members = new Map(definitions.map((definition) => [idOf(definition), definition]));
  const waitsFor = new Map<string, number>();
  const callers = new Map<string, string[]>();
  for (const [id, definition] of members) {
    const called = [...calledWorkflows(definition)].filter((target) => members.has(target));
    waitsFor.set(id, called.length);
    for (const target of called) callers.set(target, [...(callers.get(target) ?? []), id]);
  }
  const ready = [...members.keys()].filter((id) => waitsFor.get(id) === 0);
  const ordered: UncheckedDefinition[] = [];
  for (let index = 0; index < ready.length; index += 1) {
    const id = ready[index]!;
    ordered.push(members.get(id)!);
    for (const caller of callers.get(id) ?? []) {
      const left = waitsFor.get(caller)! - 1;
      waitsFor.set(caller, left);
      if (left === 0) ready.push(caller);
    }
  }
  const circular = [...members.keys()].filter((id) => waitsFor.get(id)! > 0).sort();
  return { ordered, circular };
}

/** The error for definitions that call each other in a circle. */
export function circularBundle(ids: readonly string[]): DynamicWorkflowError {
  return bundleError(
    `Dynamic workflow bundle has a circular nested-workflow dependency among: ${ids.join(', ')}.`,
    'graph',
  );
}

function bundleError(message: string, path: string): DynamicWorkflowError {
  return new DynamicWorkflowError(
    message,
    [],
    [{ code: 'invalid-bundle', severity: 'error', path, message }],
  );
}
