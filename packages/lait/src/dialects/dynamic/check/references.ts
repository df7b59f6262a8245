import { closest } from '../../../plan/suggest.js';
import type { JsonValue } from '../../../values/value.js';
import type { Catalog } from '../catalog.js';
import { type EntrySite, type LeafSite, leavesOf } from '../entries.js';
import type { Issue } from '../issue.js';
import { nameOf } from './structure.js';

type Reference = { kind: 'tool' | 'agent' | 'classifier' | 'workflow'; field: string };

const references: Readonly<Record<string, Reference>> = {
  tool: { kind: 'tool', field: 'toolId' },
  agent: { kind: 'agent', field: 'agentId' },
  classifier: { kind: 'classifier', field: 'classifierId' },
  workflow: { kind: 'workflow', field: 'workflowId' },
};

/** Names of tools, agents, classifiers and workflows that nothing is registered under. Source: dynamic facts §5. */
export function checkReferences(
  definitionId: JsonValue | undefined,
  sites: readonly EntrySite[],
  catalog: Catalog,
): Issue[] {
  return leavesOf(sites).flatMap((leaf) => {
    if (!Object.hasOwn(references, leaf.type)) return [];
    const reference = references[leaf.type]!;
    const target = leaf.entry[reference.field];
    // Reported as a reference to itself by the structure checks.
    if (reference.kind === 'workflow' && target === definitionId) return [];
    if (typeof target === 'string' && isRegistered(reference.kind, target, catalog)) return [];
    return [missing(leaf, reference, target, catalog)];
  });
}

function isRegistered(kind: Reference['kind'], name: string, catalog: Catalog): boolean {
  switch (kind) {
    case 'tool':
      return (catalog.tool(name) ?? catalog.toolByOwnId(name)) !== undefined;
    case 'agent':
      return catalog.agent(name);
    case 'classifier':
      return catalog.classifier(name);
    case 'workflow':
      return catalog.workflow(name) !== undefined;
  }
}

function missing(
  leaf: LeafSite,
  { kind, field }: Reference,
  target: JsonValue | undefined,
  catalog: Catalog,
): Issue {
  const name = nameOf(target);
  const issue = { code: 'missing-reference' as const, path: `${leaf.path}.${field}` };
  const step = `Step "${nameOf(leaf.id)}" declares`;
  const other = kind === 'tool' ? 'agent' : 'tool';
  if (
    (kind === 'tool' || kind === 'agent') &&
    typeof target === 'string' &&
    isRegistered(other, target, catalog)
  ) {
    const article = kind === 'agent' ? 'an' : 'a';
    return {
      ...issue,
      message:
        `${step} { type: "${kind}", ${field}: "${name}" } but "${name}" is a registered ${other.toUpperCase()}, ` +
        `not ${article} ${kind}. Change this entry to { type: "${other}", ${other}Id: "${name}" }.`,
      hint: `use { "type": "${other}", "${other}Id": "${name}" }`,
    };
  }
  const suggestion = typeof target === 'string' ? closest(target, catalog.names(kind)) : undefined;
  return {
    ...issue,
    message: `${step} ${field} "${name}" which is not a registered ${kind}.`,
    ...(suggestion === undefined ? {} : { hint: `did you mean "${suggestion}"?` }),
  };
}
