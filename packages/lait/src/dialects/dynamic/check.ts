import type { JsonValue } from '../../values/value.js';
import type { Catalog } from './catalog.js';
import { checkFlow } from './check/flow.js';
import { findProblems } from './check/problems.js';
import { checkReferences } from './check/references.js';
import { checkSchemaKeywords, embeddedSchemas, warnOfIgnoredKeywords } from './check/schema-keywords.js';
import { checkStructure } from './check/structure.js';
import { findWarnings } from './check/warnings.js';
import type { UncheckedDefinition } from './definition.js';
import { readEntries } from './entries.js';
import type { Findings } from './issue.js';

export interface CheckOptions {
  /** The definition's schemas are checked in full, so that no keyword is ignored. */
  strictSchemas?: boolean;
}

/**
 * Checks one definition that is plain JSON with a graph. The issues come in the reference's order: structure, schema
 * keywords, references, schema flow. Source: dynamic facts §5.
 */
export function checkDefinition(
  definition: UncheckedDefinition,
  catalog: Catalog,
  { strictSchemas = false }: CheckOptions = {},
): Findings {
  const { sites, malformed } = readEntries(definition.graph);
  const fields: { readonly [key: string]: JsonValue } = definition;
  const schemas = embeddedSchemas(fields, sites);
  const flow = checkFlow(fields, sites, catalog);
  return {
    issues: [
      ...checkStructure(fields.id, sites),
      ...checkSchemaKeywords(schemas),
      ...checkReferences(fields.id, sites, catalog),
      ...flow.issues,
    ],
    problems: [...findProblems(fields, sites, malformed, schemas, catalog), ...flow.problems],
    warnings: [
      ...findWarnings(fields, sites, flow.known),
      ...(strictSchemas ? [] : warnOfIgnoredKeywords(schemas)),
    ],
  };
}
