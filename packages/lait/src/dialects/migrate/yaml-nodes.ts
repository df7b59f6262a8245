import { isMap, isScalar, isSeq, type Node, Pair, Scalar, YAMLMap, YAMLSeq } from 'yaml';

/** A pair of a mapping with a plain key. */
export type Entry = Pair<Node, Node | null>;

/** The entries of a mapping whose keys are text. */
export function entriesOf(map: YAMLMap): Entry[] {
  return (map.items as Entry[]).filter(({ key }) => isScalar(key));
}

export function keyOf({ key }: Entry): string {
  return String((key as Scalar).value);
}

export function entryOf(map: YAMLMap, name: string): Entry | undefined {
  return entriesOf(map).find((entry) => keyOf(entry) === name);
}

/** The text of a scalar; undefined for anything else. */
export function textOf(node: unknown): string | undefined {
  return isScalar(node) && typeof node.value === 'string' ? node.value : undefined;
}

/** The same entry under another name. Comments and the style of the key stay. */
export function renamed(entry: Entry, name: string): Entry {
  const key = (entry.key as Scalar).clone() as Scalar;
  key.value = name;
  delete key.source;
  return new Pair<Node, Node | null>(key, entry.value);
}

/** A new entry. Values other than nodes become plain YAML. */
export function entry(name: string, value: Node | string | boolean | number): Entry {
  const node = typeof value === 'object' ? value : new Scalar(value);
  return new Pair<Node, Node | null>(new Scalar(name), node as Node);
}

export function mapOf(...entries: readonly Entry[]): YAMLMap {
  const map = new YAMLMap();
  map.items.push(...entries);
  return map;
}

/** A mapping in one line: `{ file: a.json }`. */
export function inlineMapOf(...entries: readonly Entry[]): YAMLMap {
  const map = mapOf(...entries);
  map.flow = true;
  return map;
}

export function listOf(items: readonly Node[], like?: YAMLSeq): YAMLSeq {
  const list = new YAMLSeq();
  if (like !== undefined) {
    // What was written in one line is longer now.
    const { comment, commentBefore, spaceBefore } = like;
    Object.assign(list, { comment, commentBefore, spaceBefore });
  }
  list.items.push(...items);
  return list;
}

/** A copy that shares nothing with the original. */
export function copyOf(entry: Entry): Entry {
  return new Pair<Node, Node | null>(
    entry.key.clone() as Node,
    (entry.value?.clone() as Node | undefined) ?? null,
  );
}

/** Puts comments before a node, behind those that stand there already. */
export function addCommentBefore(node: Node, comment: string | null | undefined): void {
  if (comment === null || comment === undefined || comment === '') return;
  node.commentBefore = node.commentBefore ? `${node.commentBefore}\n${comment}` : comment;
}

/** Calls `visit` with every scalar below a node, and the keys that lead to it. */
export function eachScalar(
  node: unknown,
  visit: (scalar: Scalar, keys: readonly string[]) => void,
  keys: readonly string[] = [],
): void {
  if (isScalar(node)) visit(node, keys);
  else if (isMap(node)) {
    for (const each of entriesOf(node)) eachScalar(each.value, visit, [...keys, keyOf(each)]);
  } else if (isSeq(node)) for (const item of node.items) eachScalar(item, visit, keys);
}
