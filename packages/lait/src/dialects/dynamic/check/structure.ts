import { isObject, type JsonValue } from '../../../values/value.js';
import { type ContainerSite, containersOf, type EntrySite, type LeafSite, leavesOf } from '../entries.js';
import type { Issue } from '../issue.js';
import type { IssueCode } from '../issue-codes.js';

/**
 * Ids, placement and the parts that containers need: an empty graph, then the leaves, then the containers, both in
 * graph order. Source: dynamic facts §5.
 */
export function checkStructure(definitionId: JsonValue | undefined, sites: readonly EntrySite[]): Issue[] {
  const issues: Issue[] = [];
  const report = (code: IssueCode, path: string, message: string) => issues.push({ code, path, message });
  if (sites.length === 0) report('empty-graph', 'graph', 'Workflow graph must contain at least one step.');
  const leafIds = new Set<JsonValue>();
  for (const leaf of leavesOf(sites)) checkLeaf(leaf, definitionId, leafIds, report);
  // A container's id may not be any leaf's, not even a later one's, nor a sleep's or an earlier container's.
  const taken = new Set(leafIds);
  for (const site of sites)
    if (site.site === 'sleep' && site.entry.id !== undefined) taken.add(site.entry.id);
  for (const container of containersOf(sites)) {
    checkContainerId(container, taken, report);
    checkContainerParts(container, report);
  }
  return issues;
}

type Report = (code: IssueCode, path: string, message: string) => void;

function checkLeaf(
  leaf: LeafSite,
  definitionId: JsonValue | undefined,
  seen: Set<JsonValue>,
  report: Report,
): void {
  const { id, idPath, type, path, placement, entry } = leaf;
  if (!id) report('missing-step-id', idPath, 'Step id is required.');
  else if (seen.has(id)) report('duplicate-step-id', idPath, `Step id "${nameOf(id)}" is duplicated.`);
  else seen.add(id);
  if (type === 'mapping' && placement !== 'top') {
    report('invalid-map-placement', path, 'Persisted mapping steps must be top-level workflow entries.');
  }
  if (type === 'workflow' && definitionId !== undefined && entry.workflowId === definitionId) {
    const target = nameOf(definitionId);
    report(
      'self-reference',
      `${path}.workflowId`,
      `Step "${nameOf(id)}" declares { type: "workflow", workflowId: "${target}" } which refers to itself. Nested workflow cycles are not allowed.`,
    );
  }
}

function checkContainerId({ entry, path }: ContainerSite, taken: Set<JsonValue>, report: Report): void {
  const { id } = entry;
  if (id === undefined) return;
  if (!id) report('missing-step-id', `${path}.id`, 'Entry id must not be empty when supplied.');
  else if (taken.has(id))
    report('duplicate-step-id', `${path}.id`, `Entry id "${nameOf(id)}" is duplicated.`);
  else taken.add(id);
}

function checkContainerParts({ entry, type, path }: ContainerSite, report: Report): void {
  switch (type) {
    case 'parallel':
      if (isEmpty(entry.steps))
        report('invalid-parallel', `${path}.steps`, 'parallel steps cannot be empty.');
      return;
    case 'conditional':
      if (isEmpty(entry.steps))
        report('invalid-conditional', `${path}.steps`, 'conditional steps cannot be empty.');
      checkPredicates(entry.steps, entry.predicates, path, report);
      return;
    case 'loop':
      if (!entry.predicate) report('invalid-loop', path, 'Loop entries must use a declarative predicate.');
      return;
    case 'foreach': {
      const concurrency = isObject(entry.opts) ? entry.opts.concurrency : undefined;
      // Compared as the language does, so that a text with a number counts and any other text passes.
      if (concurrency !== undefined && Number(concurrency) < 1) {
        report('invalid-foreach', `${path}.opts.concurrency`, 'Concurrency must be positive.');
      }
    }
  }
}

function checkPredicates(
  steps: JsonValue | undefined,
  predicates: JsonValue | undefined,
  path: string,
  report: Report,
): void {
  const message = 'Conditional entries must use declarative predicates.';
  if (!predicates) {
    report('invalid-conditional', path, message);
    return;
  }
  if (!Array.isArray(predicates)) return;
  if (Array.isArray(steps) && steps.length !== predicates.length) {
    report('invalid-conditional', path, 'Conditional steps and predicates must be aligned.');
  }
  predicates.forEach((predicate, index) => {
    if (!predicate) report('invalid-conditional', `${path}.predicates.${index}`, message);
  });
}

function isEmpty(list: JsonValue | undefined): boolean {
  return Array.isArray(list) && list.length === 0;
}

/** An id as it appears in messages; it is a text in every sound definition. */
export function nameOf(id: JsonValue | undefined): string {
  const name = typeof id === 'object' ? JSON.stringify(id) : String(id);
  return name.length <= 200 ? name : `${name.slice(0, 199)}…`;
}
