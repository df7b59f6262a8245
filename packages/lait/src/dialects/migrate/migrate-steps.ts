import { isMap, isScalar, isSeq, type Node, YAMLMap } from 'yaml';
import { isJq, mayGiveMany } from './jq-habits.js';
import { migrateNode } from './migrate-node.js';
import type { Migration } from './migration.js';
import {
  addCommentBefore,
  copyOf,
  type Entry,
  entriesOf,
  entry,
  entryOf,
  keyOf,
  listOf,
  mapOf,
  renamed,
  textOf,
} from './yaml-nodes.js';

/** Fields that belong to the whole of a step when it becomes several. */
const groupFields = ['id', 'when', 'retry', 'timeout', 'on_error'];

/**
 * Turns lists of version 1 steps into lists of version 2 steps. Nodes are written into the steps that use them; a node
 * that writes a file does so behind its first use. Source: steps seed, バージョン 1 からの移行.
 */
export class StepsMigration {
  readonly #uses = new Map<string, number>();

  constructor(
    private readonly nodes: ReadonlyMap<string, Entry>,
    private readonly migration: Migration,
  ) {}

  /** Names of the nodes that no step used. */
  get unused(): string[] {
    return [...this.nodes.keys()].filter((name) => !this.#uses.has(name));
  }

  list(steps: Node | null | undefined): Node {
    if (!isSeq(steps)) {
      this.migration.decide(steps, 'a list of steps is expected here');
      return steps ?? listOf([]);
    }
    return listOf(
      steps.items.flatMap((step) => (isMap(step) ? this.#step(step) : [step as Node])),
      steps,
    );
  }

  #step(step: YAMLMap): YAMLMap[] {
    const result = new YAMLMap();
    const { comment, commentBefore, spaceBefore } = step;
    Object.assign(result, { comment, commentBefore, spaceBefore });
    const behind: YAMLMap[] = [];
    const uses = entryOf(step, 'use') !== undefined;
    for (const each of entriesOf(step)) {
      const key = keyOf(each);
      if (key === 'use') behind.unshift(...this.#use(each, step, result));
      else if (uses && (key === 'stop' || key === 'break')) behind.push(mapOf(each));
      else result.items.push(...this.#field(key, each));
    }
    return (behind.length === 0 ? [result] : assemble(result, behind)).map(withCommentsAbove);
  }

  /** Writes a node into the step; gives back the steps that follow it. */
  #use(use: Entry, step: YAMLMap, result: YAMLMap): YAMLMap[] {
    const name = textOf(use.value);
    const definition = name === undefined ? undefined : this.nodes.get(name);
    if (name === undefined || definition === undefined || !isMap(definition.value)) {
      this.migration.decide(use.value, `there is no node '${name ?? ''}' under nodes:`);
      result.items.push(use);
      return [];
    }
    const times = this.#uses.get(name) ?? 0;
    this.#uses.set(name, times + 1);
    const copy = copyOf(definition);
    const node = copy.value as YAMLMap;
    const { fields, write, comment } = migrateNode(name, node, this.migration);
    if (times === 0) {
      for (const text of [
        copy.key.commentBefore,
        node.commentBefore,
        comment,
        isScalar(use.value) ? use.value.comment : null,
      ])
        addCommentBefore(result, text);
      if (node.comment) result.comment = node.comment;
    }
    this.#keepId(name, use, step, result, times);
    const own = new Set(entriesOf(step).map(keyOf));
    // What the step says itself wins over its node.
    result.items.push(
      ...fields
        .filter((field) => !own.has(keyOf(field)))
        .flatMap((field) => this.#field(keyOf(field), field)),
    );
    if (write === undefined) return [];
    if (times === 0) return [mapOf(entry('write', write))];
    this.migration.decide(
      use.value,
      `node '${name}' writes a file, which happens behind its first use only: add '- write: ${textOf(write) ?? '…'}' here if this use should write it, too`,
    );
    return [];
  }

  /** Version 1 recorded a step without id under its node's name. */
  #keepId(name: string, use: Entry, step: YAMLMap, result: YAMLMap, times: number): void {
    if (entryOf(step, 'id') !== undefined || !this.migration.readIds.has(name)) return;
    if (times === 0) result.items.unshift(entry('id', name));
    else {
      this.migration.decide(
        use.value,
        `version 1 recorded every use of node '${name}' as steps.${name}; ids are unique now, and the first use has it: give this step an id of its own and read that`,
      );
    }
  }

  #field(key: string, each: Entry): Entry[] {
    const { value } = each;
    switch (key) {
      case 'loop':
        return isMap(value) ? this.#fields(value) : [each];
      case 'for_each':
        return isMap(value) ? this.#forEach(each, value) : [each];
      case 'switch':
        return isMap(value) ? this.#switch(each, value) : [each];
      case 'parallel':
        return isMap(value) && entryOf(value, 'branches') !== undefined
          ? this.#parallel(each, value)
          : [each];
      case 'group':
      case 'steps':
      case 'else':
      case 'on_error':
        return [withValue(each, this.#block(value))];
      case 'join':
        return this.#join(each);
      default:
        this.#checkJq(key, value);
        return [each];
    }
  }

  #fields(map: YAMLMap): Entry[] {
    const [first] = entriesOf(map);
    if (first !== undefined) addCommentBefore(first.key, map.commentBefore);
    return entriesOf(map).flatMap((each) => this.#field(keyOf(each), each));
  }

  /** A list of steps, or version 1's `{ steps: [...] }` around it. */
  #block(value: Node | null): Node {
    return this.list(isMap(value) ? entryOf(value, 'steps')?.value : value);
  }

  #forEach(each: Entry, map: YAMLMap): Entry[] {
    const items = entryOf(map, 'items');
    if (items === undefined) this.migration.decide(map, 'for_each needs the expression of its items');
    return [
      withValue(each, items?.value ?? null),
      ...this.#fields(mapOf(...entriesOf(map).filter((field) => field !== items))),
    ];
  }

  #switch(each: Entry, map: YAMLMap): Entry[] {
    const cases = entryOf(map, 'cases')?.value;
    const items = isSeq(cases) ? cases.items.filter((item) => isMap(item)) : [];
    const migrated = items.map((item) => {
      const result = mapOf(
        ...entriesOf(item)
          .filter((field) => keyOf(field) !== 'id')
          .flatMap((field) => this.#field(keyOf(field), field)),
      );
      result.commentBefore = item.commentBefore;
      const id = textOf(entryOf(item, 'id')?.value);
      if (id !== undefined) addCommentBefore(result, ` ${id}`);
      return result;
    });
    const others = entriesOf(map)
      .filter((field) => keyOf(field) !== 'cases')
      .map((field) => (keyOf(field) === 'default' ? renamed(field, 'else') : field));
    return [
      withValue(each, listOf(migrated, isSeq(cases) ? cases : undefined)),
      ...others.flatMap((field) => this.#field(keyOf(field), field)),
    ];
  }

  #parallel(each: Entry, map: YAMLMap): Entry[] {
    const branches = entryOf(map, 'branches')?.value;
    const result = new YAMLMap();
    for (const [index, branch] of (isSeq(branches) ? branches.items : []).entries()) {
      if (!isMap(branch)) continue;
      const name = textOf(entryOf(branch, 'id')?.value);
      if (name === undefined) this.migration.decide(branch, 'a branch needs a name');
      const named = entry(name ?? `branch_${index + 1}`, this.list(entryOf(branch, 'steps')?.value));
      addCommentBefore(named.key, branch.commentBefore);
      result.items.push(named);
    }
    return [
      withValue(each, result),
      ...this.#fields(mapOf(...entriesOf(map).filter((field) => keyOf(field) !== 'branches'))),
    ];
  }

  /** What joined results is an expression over the object or list of them now. */
  #join(each: Entry): Entry[] {
    const source = textOf(each.value);
    if (source !== undefined && isJq(source)) {
      this.#checkJq('output', each.value);
      this.migration.decide(
        each.value,
        `join is output: now; it sees the results as an object by branch, or as a list of items: check '${source}'`,
      );
      return [renamed(each, 'output')];
    }
    this.migration.decide(
      each.value,
      `join: ${source ?? '…'} has no counterpart: shape the object of branches, or the list of items, with output:`,
    );
    return [];
  }

  #checkJq(key: string, value: Node | null): void {
    const source = ['when', 'input', 'output', 'jq', 'while', 'until', 'for_each'].includes(key)
      ? textOf(value)
      : undefined;
    if (source === undefined || !mayGiveMany(source)) return;
    this.migration.decide(
      value,
      `jq must give exactly one value; '${source}' may give several or none: put it in [...], or choose one with first(...)`,
    );
  }
}

/** The same key and its comments with another value. */
function withValue(each: Entry, value: Node | null): Entry {
  const result = renamed(each, keyOf(each));
  result.value = value;
  return result;
}

/** A comment before the first field of a step would stand between the dash and the field. */
function withCommentsAbove(step: YAMLMap): YAMLMap {
  const [first] = entriesOf(step);
  if (first?.key.commentBefore) {
    addCommentBefore(step, first.key.commentBefore);
    first.key.commentBefore = null;
  }
  return step;
}

/** A step and those that follow it. What holds for all of them goes to a group around them. */
function assemble(step: YAMLMap, behind: readonly YAMLMap[]): YAMLMap[] {
  const has = (name: string) => entryOf(step, name) !== undefined;
  if (!has('when') && !has('on_error')) return [step, ...behind];
  const moved = (each: Entry) =>
    groupFields.includes(keyOf(each)) && (has('on_error') || !['retry', 'timeout'].includes(keyOf(each)));
  const inner = mapOf(...entriesOf(step).filter((each) => !moved(each)));
  const outer = entriesOf(step).filter(moved);
  const isBefore = (each: Entry) => ['id', 'when'].includes(keyOf(each));
  const group = mapOf(
    ...outer.filter(isBefore),
    entry('group', listOf([inner, ...behind])),
    ...outer.filter((each) => !isBefore(each)),
  );
  const { comment, commentBefore, spaceBefore } = step;
  return [Object.assign(group, { comment, commentBefore, spaceBefore })];
}
