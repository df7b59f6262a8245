import { isObject, type JsonObject, type JsonValue } from '../../values/value.js';

/** Where a call stands: directly in the graph, among the steps of a container, or as the body of one. */
export type Placement = 'top' | 'branch' | 'body';

/** An entry that does one thing: a call, a mapping, or something unknown inside a container. */
export interface LeafSite {
  entry: JsonObject;
  type: string;
  /** As in issues, e.g. `graph.2.steps.0`. */
  path: string;
  placement: Placement;
  /** The step's id as written; of a plain step the id of the agent or tool. */
  id: JsonValue | undefined;
  idPath: string;
}

export interface ContainerSite {
  entry: JsonObject;
  type: 'parallel' | 'conditional' | 'foreach' | 'loop';
  path: string;
  children: readonly LeafSite[];
}

/** One top-level entry, told apart by what the checks and the lowering do with it. */
export type EntrySite =
  | { site: 'leaf'; leaf: LeafSite; path: string }
  | { site: 'container'; container: ContainerSite; path: string }
  | { site: 'sleep'; entry: JsonObject; type: 'sleep' | 'sleepUntil'; path: string }
  | { site: 'unknown'; entry: JsonValue; path: string };

/** A part of an entry that is not even an object; reported apart, and passed over by every other check. */
export interface MalformedPart {
  path: string;
  message: string;
}

const leafTypes = new Set(['agent', 'tool', 'classifier', 'mapping', 'workflow', 'step']);

/** Sorts the entries of a graph by what they are. */
export function readEntries(graph: readonly JsonValue[]): { sites: EntrySite[]; malformed: MalformedPart[] } {
  const malformed: MalformedPart[] = [];
  const sites = graph.map((entry, index) => readEntry(entry, `graph.${index}`, malformed));
  return { sites, malformed };
}

function readEntry(entry: JsonValue, path: string, malformed: MalformedPart[]): EntrySite {
  if (!isObject(entry)) {
    if (!Array.isArray(entry)) malformed.push({ path, message: 'An entry must be an object with a type.' });
    return { site: 'unknown', entry, path };
  }
  switch (entry.type) {
    case 'parallel':
    case 'conditional': {
      const { steps } = entry;
      if (!Array.isArray(steps))
        malformed.push({ path: `${path}.steps`, message: `${entry.type} needs a list of steps.` });
      const list = Array.isArray(steps) ? steps : [];
      const children = list.flatMap((step, index) =>
        readLeaf(step, `${path}.steps.${index}`, 'branch', malformed),
      );
      return { site: 'container', container: { entry, type: entry.type, path, children }, path };
    }
    case 'foreach':
    case 'loop': {
      const children = readLeaf(entry.step, `${path}.step`, 'body', malformed);
      return { site: 'container', container: { entry, type: entry.type, path, children }, path };
    }
    case 'sleep':
    case 'sleepUntil':
      return { site: 'sleep', entry, type: entry.type, path };
    default: {
      if (typeof entry.type !== 'string' || !leafTypes.has(entry.type))
        return { site: 'unknown', entry, path };
      return { site: 'leaf', leaf: leafOf(entry, path, 'top', malformed), path };
    }
  }
}

function readLeaf(
  entry: JsonValue | undefined,
  path: string,
  placement: Placement,
  malformed: MalformedPart[],
): LeafSite[] {
  if (!isObject(entry)) {
    malformed.push({ path, message: 'A step must be an object with a type.' });
    if (entry === undefined || entry === null) return [];
    // Any other value in place of a step is one without an id.
    return [{ entry: {}, type: '', path, placement, id: undefined, idPath: `${path}.id` }];
  }
  return [leafOf(entry, path, placement, malformed)];
}

function leafOf(entry: JsonObject, path: string, placement: Placement, malformed: MalformedPart[]): LeafSite {
  const type = String(entry.type);
  const known = leafTypes.has(type);
  if (!known) {
    malformed.push({
      path,
      message: `A container takes agent, tool, classifier and workflow steps; ${JSON.stringify(entry.type) ?? 'no type'} is none of them.`,
    });
  }
  if (type !== 'step') return { entry, type, path, placement, id: entry.id, idPath: `${path}.id` };
  if (!isObject(entry.step))
    malformed.push({ path: `${path}.step`, message: 'A plain step needs a step with an id.' });
  const id = isObject(entry.step) ? entry.step.id : undefined;
  return { entry, type, path, placement, id, idPath: `${path}.step.id` };
}

/** Every leaf of the graph, children included, in graph order. */
export function leavesOf(sites: readonly EntrySite[]): LeafSite[] {
  const leaves: LeafSite[] = [];
  for (const site of sites) {
    if (site.site === 'leaf') leaves.push(site.leaf);
    else if (site.site === 'container') leaves.push(...site.container.children);
  }
  return leaves;
}

/** The containers among the sites, in their order. */
export function containersOf(sites: readonly EntrySite[]): ContainerSite[] {
  return sites.flatMap((site) => (site.site === 'container' ? [site.container] : []));
}
