import { isDeepStrictEqual } from 'node:util';
import { isObject, type JsonObject, type JsonValue, ownProperty } from '../../values/value.js';

/** What differs between two versions of a definition. */
export interface DefinitionDiff {
  /** Parts of the top level that are no lists of named things, by name. */
  changed: string[];
  nodes: ListDiff;
  edges: ListDiff;
}

export interface ListDiff {
  added: string[];
  removed: string[];
  changed: string[];
}

const lists = { nodes: 'node_id', edges: 'edge_id' } as const;

/** Compares two definitions by the ids of their nodes and edges. Key order and the places on a canvas do not count. */
export function diffGraphs(before: JsonObject, after: JsonObject): DefinitionDiff {
  const keys = new Set([...Object.keys(before), ...Object.keys(after)]);
  const changed = [...keys].filter(
    (key) =>
      !Object.hasOwn(lists, key) && !isDeepStrictEqual(ownProperty(before, key), ownProperty(after, key)),
  );
  return {
    changed: changed.sort(),
    nodes: diffLists(before.nodes, after.nodes, lists.nodes),
    edges: diffLists(before.edges, after.edges, lists.edges),
  };
}

function diffLists(before: JsonValue | undefined, after: JsonValue | undefined, id: string): ListDiff {
  const old = byId(before, id);
  const now = byId(after, id);
  return {
    added: [...now.keys()].filter((key) => !old.has(key)),
    removed: [...old.keys()].filter((key) => !now.has(key)),
    changed: [...now.keys()].filter((key) => old.has(key) && !isDeepStrictEqual(old.get(key), now.get(key))),
  };
}

function byId(list: JsonValue | undefined, id: string): Map<string, JsonObject> {
  const found = new Map<string, JsonObject>();
  for (const item of Array.isArray(list) ? list : []) {
    if (!isObject(item)) continue;
    const { ui_position: _place, ...rest } = item;
    found.set(String(ownProperty(item, id)), rest as JsonObject);
  }
  return found;
}
