import type { Placeholder } from '../../../expressions/placeholder-template.js';
import type { JsonObject, JsonValue } from '../../../values/value.js';
import { type ContainerSite, containersOf, type EntrySite, type LeafSite } from '../entries.js';
import type { Warning } from '../issue.js';
import { isDescriptorIssue, readDescriptor, readMappingConfig } from '../mapping-config.js';
import { type KnownSchema, schemaAt, typeOf } from '../schema-shape.js';
import { constantOutcome, schemaOfPath } from './constant-predicate.js';
import type { KnownFlow } from './flow.js';
import { predicatesOf } from './predicate-paths.js';

/**
 * What is allowed and most likely not meant: a conditional in which nothing can match, a loop without an end, a
 * placeholder that leads nowhere, a container as a source. Never refuses anything.
 */
export function findWarnings(
  definition: { readonly [key: string]: JsonValue },
  sites: readonly EntrySite[],
  known: KnownFlow,
): Warning[] {
  const containerIds = new Set(containersOf(sites).map(({ entry }) => entry.id));
  return sites.flatMap((site) => {
    const view = {
      inputData: known.incoming.get(site.path),
      initData: definition.inputSchema,
      state: definition.stateSchema,
      results: known.results,
    };
    if (site.site === 'leaf' && site.leaf.type === 'mapping')
      return mappingWarnings(site.leaf, view, containerIds);
    if (site.site !== 'container') return [];
    return site.container.type === 'loop'
      ? loopWarnings(site.container)
      : conditionalWarnings(site.container, view);
  });
}

interface View {
  inputData: KnownSchema;
  initData: KnownSchema;
  state: KnownSchema;
  results: ReadonlyMap<string, KnownSchema>;
}

function conditionalWarnings({ entry, type, path }: ContainerSite, view: View): Warning[] {
  const predicates = predicatesOf(entry);
  if (type !== 'conditional' || predicates.length === 0) return [];
  const outcomes = predicates.map((predicate) => constantOutcome(predicate, (at) => schemaOfPath(at, view)));
  if (!outcomes.every((outcome) => outcome === false)) return [];
  return [
    {
      code: 'never-matching-conditional',
      path,
      message: 'None of the predicates can ever be true: no branch runs.',
    },
  ];
}

function loopWarnings({ entry, path }: ContainerSite): Warning[] {
  // The body's output decides, of which only its schema is known; so only constants are certain.
  const outcome = constantOutcome(entry.predicate, () => undefined);
  const endless =
    entry.loopType === 'dowhile' ? outcome === true : entry.loopType === 'dountil' && outcome === false;
  if (!endless) return [];
  const always = entry.loopType === 'dowhile' ? 'always true' : 'never true';
  return [{ code: 'endless-loop', path, message: `The predicate is ${always}: the loop has no end.` }];
}

function mappingWarnings(
  { entry, path }: LeafSite,
  view: View,
  containerIds: ReadonlySet<JsonValue | undefined>,
): Warning[] {
  const descriptors = readMappingConfig(entry.mapConfig) ?? {};
  return Object.entries(descriptors).flatMap(([key, descriptor]) =>
    descriptorWarnings(descriptor, `${path}.mapConfig.${key}`, view, containerIds),
  );
}

function descriptorWarnings(
  descriptor: JsonValue,
  path: string,
  view: View,
  containerIds: ReadonlySet<JsonValue | undefined>,
): Warning[] {
  const source = readDescriptor(descriptor as JsonObject);
  if (isDescriptorIssue(source)) return [];
  if (source.type === 'step') {
    return source.ids
      .filter((id) => id === '' || containerIds.has(id))
      .map((id) => ({
        code: 'source-without-result' as const,
        path: `${path}.step`,
        message:
          id === ''
            ? 'An empty step id never has a result.'
            : `"${id}" is a container: only its steps have results.`,
      }));
  }
  if (source.type !== 'template') return [];
  return source.template.placeholders.flatMap((placeholder): Warning[] => {
    const { root, key, text } = placeholder;
    if (root === 'stepResults' && containerIds.has(key)) {
      const message = `${text} reads a container: only its steps have results.`;
      return [{ code: 'source-without-result', path: `${path}.template`, message }];
    }
    if (!leadsNowhere(placeholder, view)) return [];
    return [
      {
        code: 'unknown-placeholder',
        path: `${path}.template`,
        message: `${text} is declared nowhere in the known schema; it renders as an empty text or fails the run.`,
      },
    ];
  });
}

/** Array elements and `length` are read through placeholders, so only declared objects are certain. */
function leadsNowhere({ root, key, segments }: Placeholder, view: View): boolean {
  if (root === 'requestContext') return false;
  let schema: KnownSchema = root === 'stepResults' ? view.results.get(key!) : view[root];
  for (const segment of segments) {
    if (typeOf(schema) !== 'object' || !hasProperties(schema)) return false;
    schema = schemaAt(schema, [segment]);
    if (schema === undefined) return true;
  }
  return false;
}

function hasProperties(schema: KnownSchema): boolean {
  const object = schema as JsonObject;
  return object.properties !== undefined && object.additionalProperties !== true;
}
