import { compileDefinitionSchema, UnsupportedSchemaError } from '../../../schema/strip.js';
import type { JsonObject, JsonValue } from '../../../values/value.js';
import type { Catalog } from '../catalog.js';
import type { EntrySite, LeafSite, MalformedPart } from '../entries.js';
import type { Problem } from '../issue.js';
import type { ProblemCode } from '../issue-codes.js';
import { nameOf } from './structure.js';

/**
 * What makes a definition unusable although no issue names it: the reference fails on these when it builds the
 * workflow. In that order: schemas, entries, missing fields. Source: dynamic facts §5.
 */
export function findProblems(
  definition: { readonly [key: string]: JsonValue },
  sites: readonly EntrySite[],
  malformed: readonly MalformedPart[],
  schemas: readonly { schema: JsonValue | undefined; path: string }[],
  catalog: Catalog,
): Problem[] {
  return [
    ...malformed.map(({ path, message }): Problem => ({ code: 'invalid-entry', path, message })),
    ...schemas.flatMap(({ schema, path }) => schemaProblem(schema, path)),
    ...sites.flatMap((site) => siteProblems(site, catalog)),
    ...missingFields(definition),
  ];
}

function schemaProblem(schema: JsonValue | undefined, path: string): Problem[] {
  try {
    compileDefinitionSchema(schema);
    return [];
  } catch (error) {
    if (!(error instanceof UnsupportedSchemaError)) throw error;
    return [{ code: 'invalid-schema', path, message: error.message }];
  }
}

function siteProblems(site: EntrySite, catalog: Catalog): Problem[] {
  switch (site.site) {
    case 'leaf':
      return leafProblems(site.leaf, catalog);
    case 'container': {
      const { entry, type, path, children } = site.container;
      const problems = children.flatMap((child) => leafProblems(child, catalog));
      if (type === 'loop' && entry.loopType !== 'dowhile' && entry.loopType !== 'dountil') {
        problems.unshift(
          problem(
            'invalid-loop-type',
            `${path}.loopType`,
            'A loop needs the loopType "dowhile" or "dountil" and a declarative predicate.',
          ),
        );
      }
      if (type === 'conditional' && entry.predicates && !Array.isArray(entry.predicates)) {
        problems.unshift(
          problem('invalid-entry', `${path}.predicates`, 'The predicates of a conditional are a list.'),
        );
      }
      return problems;
    }
    case 'sleep':
      return sleepProblems(site.entry, site.type, site.path);
    case 'unknown': {
      const shown = JSON.stringify(site.entry);
      const isReported = typeof site.entry !== 'object' || site.entry === null;
      const message = `Unknown stored step type: ${shown.length <= 300 ? shown : `${shown.slice(0, 299)}…`}`;
      return isReported ? [] : [problem('unknown-entry-type', site.path, message)];
    }
  }
}

function leafProblems({ type, entry, path, id }: LeafSite, catalog: Catalog): Problem[] {
  if (type === 'tool' && typeof entry.toolId === 'string') {
    if (catalog.tool(entry.toolId) !== undefined || catalog.toolByOwnId(entry.toolId) === undefined)
      return [];
    const message = `Tool with name ${entry.toolId} not found`;
    return [
      {
        ...problem('unknown-tool-key', `${path}.toolId`, message),
        hint: 'use the key it is registered under',
      },
    ];
  }
  if (type !== 'step' || typeof id !== 'string') return [];
  if (catalog.agent(id) || catalog.tool(id) !== undefined) return [];
  const message = `Dynamic workflow references step "${id}" which is not registered as an agent or tool.`;
  return [problem('unknown-step', `${path}.step.id`, message)];
}

function sleepProblems(entry: JsonObject, type: 'sleep' | 'sleepUntil', path: string): Problem[] {
  const name = `Stored ${type} "${nameOf(entry.id)}"`;
  if (type === 'sleep') {
    if (typeof entry.duration === 'number') return [];
    return [problem('invalid-sleep', `${path}.duration`, `${name} missing literal duration.`)];
  }
  if (typeof entry.date !== 'string')
    return [problem('invalid-sleep', `${path}.date`, `${name} missing literal date.`)];
  if (!Number.isNaN(Date.parse(entry.date))) return [];
  return [problem('invalid-sleep', `${path}.date`, `${name} has an unparseable date: ${nameOf(entry.date)}`)];
}

/** `null` is a schema that accepts everything; only an absent one is refused. */
function missingFields(definition: { readonly [key: string]: JsonValue }): Problem[] {
  const missing = ['inputSchema', 'outputSchema'].filter((key) => definition[key] === undefined);
  if (missing.length === 0) return [];
  const message = `Cannot create workflow definition "${nameOf(definition.id)}": inputSchema, outputSchema, and graph are required.`;
  return missing.map((key) => ({
    ...problem('missing-field', key, message),
    hint: `use ${key}: {} to accept anything`,
  }));
}

function problem(code: ProblemCode, path: string, message: string): Problem {
  return { code, path, message };
}
