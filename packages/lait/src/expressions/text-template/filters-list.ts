import { canonicalJson } from '../../values/canonical-json.js';
import { arithmetic } from './arithmetic.js';
import { argument, type Filter, flagArgument, numberArgument, textArgument } from './filter.js';
import { groupOf, item as itemOf } from './members.js';
import {
  type CallArguments,
  defined,
  elements,
  foundOr,
  isTemplateObject,
  isTrue,
  joined,
  type TemplateValue,
  templateOrder,
  templateText,
  toJson,
  UndefinedValue,
} from './operations.js';
import { TemplateError } from './template-error.js';

/** `a.b.0` inside one item, as `attribute=` names it. */
function attribute(value: TemplateValue, path: TemplateValue): TemplateValue {
  let current = value;
  for (const part of templateText(path).split('.')) {
    current = itemOf(current, /^\d+$/.test(part) && Array.isArray(current) ? Number(part) : part, part);
  }
  return current;
}

/** What sort, min, unique … compare: the item or its attribute, texts without case unless asked. */
function comparable(
  value: TemplateValue,
  path: TemplateValue | undefined,
  caseSensitive: boolean,
): TemplateValue {
  const part = defined(path === undefined || path === null ? value : attribute(value, path));
  return typeof part === 'string' && !caseSensitive ? part.toLowerCase() : part;
}

const length: Filter = (value) => elements(value).length;

const extreme =
  (sign: number): Filter =>
  (value, call) => {
    const path = argument(call, 1, 'attribute');
    let best: { item: TemplateValue; by: TemplateValue } | undefined;
    for (const candidate of elements(value)) {
      const by = comparable(candidate, path, flagArgument(call, 0, 'case_sensitive', false));
      if (best === undefined || templateOrder(by, best.by) * sign > 0) best = { item: candidate, by };
    }
    return foundOr(best?.item, 'the first of an empty list');
  };

/** `select`, `reject`, `selectattr`, `rejectattr`. */
const picking =
  (keep: boolean, byAttribute: boolean): Filter =>
  (value, call, tools) => {
    const [first, second, third] = call.positional;
    const path = byAttribute ? first : undefined;
    const name = byAttribute ? second : first;
    const wanted = (byAttribute ? third : second) ?? null;
    return elements(value).filter((candidate) => {
      const part = path === undefined ? candidate : attribute(candidate, path);
      const holds =
        name === undefined
          ? !(part instanceof UndefinedValue) && isTrue(part)
          : tools.test(templateText(name), part, wanted);
      return holds === keep;
    });
  };

const sorted: Filter = (value, call) => {
  const reverse = flagArgument(call, 0, 'reverse', false);
  const caseSensitive = flagArgument(call, 1, 'case_sensitive', false);
  const path = argument(call, 2, 'attribute');
  const entries = elements(value).map((candidate) => ({
    candidate,
    by: comparable(candidate, path, caseSensitive),
  }));
  entries.sort((left, right) => templateOrder(left.by, right.by) * (reverse ? -1 : 1));
  return entries.map((entry) => entry.candidate);
};

const mapped: Filter = (value, call, tools) => {
  const path = call.named.get('attribute');
  if (path !== undefined) {
    const replacement = call.named.get('default');
    return elements(value).map((candidate) => {
      const part = attribute(candidate, path);
      return part instanceof UndefinedValue && replacement !== undefined ? replacement : part;
    });
  }
  const [name, ...rest] = call.positional;
  if (name === undefined) throw new TemplateError("map needs the name of a filter or 'attribute'");
  return elements(value).map((candidate) =>
    tools.filter(templateText(name), candidate, { positional: rest, named: new Map() }),
  );
};

const rows = (value: TemplateValue, size: number, fill: TemplateValue | undefined): TemplateValue[][] => {
  if (!Number.isInteger(size) || size < 1)
    throw new TemplateError('the size must be a whole number of at least 1');
  const list = elements(value);
  const result: TemplateValue[][] = [];
  for (let at = 0; at < list.length; at += size) result.push(list.slice(at, at + size));
  const last = result.at(-1);
  if (fill !== undefined && last !== undefined) while (last.length < Math.min(size, 10_000)) last.push(fill);
  return result;
};

const columns = (value: TemplateValue, count: number, fill: TemplateValue | undefined): TemplateValue[][] => {
  if (!Number.isInteger(count) || count < 1 || count > 10_000)
    throw new TemplateError('the number of columns must be between 1 and 10000');
  const list = elements(value);
  const short = Math.floor(list.length / count);
  const longer = list.length % count;
  let at = 0;
  return Array.from({ length: count }, (_, index) => {
    const size = short + (index < longer ? 1 : 0);
    const column = list.slice(at, at + size);
    at += size;
    if (fill !== undefined && longer > 0 && index >= longer) column.push(fill);
    return column;
  });
};

function grouped(value: TemplateValue, call: CallArguments): TemplateValue {
  const path = argument(call, 0, 'attribute');
  if (path === undefined) throw new TemplateError('groupby needs an attribute');
  const caseSensitive = flagArgument(call, 2, 'case_sensitive', false);
  const groups = new Map<string, { grouper: TemplateValue; by: TemplateValue; list: TemplateValue[] }>();
  for (const candidate of elements(value)) {
    const by = comparable(candidate, path, caseSensitive);
    const key = canonicalJson(toJson(by));
    const group = groups.get(key) ?? { grouper: defined(attribute(candidate, path)), by, list: [] };
    group.list.push(candidate);
    groups.set(key, group);
  }
  const ordered = [...groups.values()].sort((left, right) => templateOrder(left.by, right.by));
  return ordered.map((group) => groupOf(group.grouper, group.list));
}

function reversed(value: TemplateValue): TemplateValue {
  const list = [...elements(value)].reverse();
  return typeof value === 'string' ? list.join('') : list;
}

/** Filters that go over lists and dicts. */
export const listFilters: readonly (readonly [string, Filter])[] = [
  ['length', length],
  ['count', length],
  ['first', (value) => foundOr(elements(value)[0], 'the first of an empty list')],
  ['last', (value) => foundOr(elements(value).at(-1), 'the last of an empty list')],
  ['list', (value) => [...elements(value)]],
  ['reverse', reversed],
  [
    'join',
    (value, call) => {
      const path = argument(call, 1, 'attribute');
      const texts = elements(value).map((candidate) =>
        templateText(path === undefined ? candidate : attribute(candidate, path)),
      );
      return joined(texts, textArgument(call, 0, 'd', ''));
    },
  ],
  [
    'sum',
    (value, call) => {
      const path = argument(call, 0, 'attribute');
      const start = argument(call, 1, 'start') ?? 0;
      return elements(value).reduce(
        (sum: TemplateValue, candidate) =>
          arithmetic('+', sum, path === undefined ? candidate : attribute(candidate, path)),
        start,
      );
    },
  ],
  ['min', extreme(-1)],
  ['max', extreme(1)],
  ['sort', sorted],
  [
    'unique',
    (value, call) => {
      const seen = new Set<string>();
      const path = argument(call, 1, 'attribute');
      return elements(value).filter((candidate) => {
        const identity = canonicalJson(
          toJson(comparable(candidate, path, flagArgument(call, 0, 'case_sensitive', false))),
        );
        const fresh = !seen.has(identity);
        seen.add(identity);
        return fresh;
      });
    },
  ],
  ['map', mapped],
  ['select', picking(true, false)],
  ['reject', picking(false, false)],
  ['selectattr', picking(true, true)],
  ['rejectattr', picking(false, true)],
  ['groupby', grouped],
  [
    'batch',
    (value, call) => rows(value, numberArgument(call, 0, 'linecount', 0), argument(call, 1, 'fill_with')),
  ],
  [
    'slice',
    (value, call) => columns(value, numberArgument(call, 0, 'slices', 0), argument(call, 1, 'fill_with')),
  ],
  [
    'items',
    (value) => {
      const known = defined(value);
      if (!isTemplateObject(known)) throw new TemplateError('items needs a dict');
      return Object.entries(known).map(([key, entry]) => [key, entry]);
    },
  ],
  [
    'dictsort',
    (value, call) => {
      const known = defined(value);
      if (!isTemplateObject(known)) throw new TemplateError('dictsort needs a dict');
      const by = textArgument(call, 1, 'by', 'key') === 'value' ? 1 : 0;
      const caseSensitive = flagArgument(call, 0, 'case_sensitive', false);
      const entries: TemplateValue[][] = Object.entries(known).map(([key, entry]) => [key, entry]);
      entries.sort((left, right) =>
        templateOrder(
          comparable(left[by]!, undefined, caseSensitive),
          comparable(right[by]!, undefined, caseSensitive),
        ),
      );
      return flagArgument(call, 2, 'reverse', false) ? entries.reverse() : entries;
    },
  ],
  ['attr', (value, call) => attribute(value, argument(call, 0, 'name') ?? '')],
];
