import {
  type CallArguments,
  contains,
  defined,
  foundOr,
  isTemplateObject,
  joined,
  Namespace,
  type TemplateFunction,
  type TemplateObject,
  type TemplateValue,
  templateText,
  UndefinedValue,
} from './operations.js';
import { TemplateError } from './template-error.js';

type Method<Self> = (self: Self, call: CallArguments) => TemplateValue;

const text = (value: TemplateValue | undefined, fallback?: string): string => {
  if (value === undefined && fallback !== undefined) return fallback;
  if (typeof value !== 'string') throw new TemplateError('a text is needed as argument');
  return value;
};
const stripSet = (call: CallArguments): string | undefined =>
  call.positional.length === 0 ? undefined : text(call.positional[0]);

const textMethods = new Map<string, Method<string>>([
  ['upper', (self) => self.toUpperCase()],
  ['lower', (self) => self.toLowerCase()],
  ['title', (self) => titleCase(self)],
  ['capitalize', (self) => capitalize(self)],
  ['strip', (self, call) => strip(self, stripSet(call), true, true)],
  ['lstrip', (self, call) => strip(self, stripSet(call), true, false)],
  ['rstrip', (self, call) => strip(self, stripSet(call), false, true)],
  ['split', (self, call) => split(self, call)],
  ['splitlines', (self) => self.split(/\r?\n/)],
  ['replace', (self, call) => joined(self.split(text(call.positional[0])), text(call.positional[1]))],
  ['startswith', (self, call) => self.startsWith(text(call.positional[0]))],
  ['endswith', (self, call) => self.endsWith(text(call.positional[0]))],
  ['find', (self, call) => self.indexOf(text(call.positional[0]))],
  ['count', (self, call) => self.split(text(call.positional[0])).length - 1],
  ['isdigit', (self) => /^\d+$/.test(self)],
  [
    'join',
    (self, call) => {
      const items = defined(call.positional[0] ?? null);
      if (!Array.isArray(items)) throw new TemplateError('join needs a list');
      return joined(items.map(templateText), self);
    },
  ],
]);

const objectMethods = new Map<string, Method<TemplateObject>>([
  ['items', (self) => Object.entries(self).map(([key, value]) => [key, value])],
  ['keys', (self) => Object.keys(self)],
  ['values', (self) => Object.values(self)],
  [
    'get',
    (self, call) => {
      const key = call.positional[0];
      return typeof key === 'string' && Object.hasOwn(self, key) ? self[key]! : (call.positional[1] ?? null);
    },
  ],
]);

const listMethods = new Map<string, Method<TemplateValue[]>>([
  [
    'index',
    (self, call) => {
      const at = self.findIndex((item) => contains([item], call.positional[0] ?? null));
      if (at < 0) throw new TemplateError('the list does not hold the value');
      return at;
    },
  ],
  ['count', (self, call) => self.filter((item) => contains([item], call.positional[0] ?? null)).length],
]);

const groups = new WeakSet<object>();

/** What `groupby` gives for one group: a pair whose parts also have names. */
export function groupOf(grouper: TemplateValue, list: TemplateValue[]): TemplateValue[] {
  const group = [grouper, list];
  groups.add(group);
  return group;
}

function isGroup(list: readonly TemplateValue[]): boolean {
  return groups.has(list);
}

/** `value.name`: an own field first, then a method of the language. Never reaches a prototype. */
export function field(value: TemplateValue, name: string, shown: string): TemplateValue {
  const known = defined(value);
  if (known instanceof Namespace) return foundOr(known.fields.get(name), shown);
  if (isTemplateObject(known)) {
    if (Object.hasOwn(known, name)) return known[name]!;
    return bind(objectMethods.get(name), known) ?? new UndefinedValue(shown);
  }
  if (typeof known === 'string') return bind(textMethods.get(name), known) ?? new UndefinedValue(shown);
  if (Array.isArray(known)) {
    if (isGroup(known) && (name === 'grouper' || name === 'list')) return known[name === 'grouper' ? 0 : 1]!;
    return bind(listMethods.get(name), known) ?? new UndefinedValue(shown);
  }
  return new UndefinedValue(shown);
}

/**
 * `value[index]`: a field of a dict, an item of a list or a character of a text; negative indexes count from the end.
 */
export function item(value: TemplateValue, index: TemplateValue, shown: string): TemplateValue {
  const known = defined(value);
  const key = defined(index);
  if (isTemplateObject(known) && typeof key === 'string')
    return Object.hasOwn(known, key) ? known[key]! : new UndefinedValue(shown);
  if (typeof key === 'number' && Number.isInteger(key)) {
    const list = Array.isArray(known) ? known : typeof known === 'string' ? [...known] : [];
    return foundOr(list.at(key), shown);
  }
  return new UndefinedValue(shown);
}

/** `value[start:stop:step]` of a list or a text. */
export function slice(
  value: TemplateValue,
  start: TemplateValue,
  stop: TemplateValue,
  step: TemplateValue,
): TemplateValue {
  const known = defined(value);
  const list = Array.isArray(known) ? known : typeof known === 'string' ? [...known] : undefined;
  if (list === undefined) throw new TemplateError('only lists and texts can be sliced');
  const by = bound(step) ?? 1;
  if (by === 0) throw new TemplateError('the step of a slice must not be 0');
  const place = (at: number | undefined, fallback: number, low: number, high: number) =>
    at === undefined ? fallback : Math.min(Math.max(at < 0 ? at + list.length : at, low), high);
  const picked: TemplateValue[] = [];
  if (by > 0) {
    const end = place(bound(stop), list.length, 0, list.length);
    for (let at = place(bound(start), 0, 0, list.length); at < end; at += by) picked.push(list[at]!);
  } else {
    const end = place(bound(stop), -1, -1, list.length - 1);
    for (let at = place(bound(start), list.length - 1, -1, list.length - 1); at > end; at += by)
      picked.push(list[at]!);
  }
  return typeof known === 'string' ? picked.join('') : picked;
}

function bound(value: TemplateValue): number | undefined {
  const known = defined(value);
  if (known === null) return undefined;
  if (typeof known !== 'number' || !Number.isInteger(known))
    throw new TemplateError('the bounds of a slice must be whole numbers');
  return known;
}

function bind<Self>(method: Method<Self> | undefined, self: Self): TemplateFunction | undefined {
  return method === undefined ? undefined : (call) => method(self, call);
}

export function capitalize(value: string): string {
  const [first = '', ...rest] = value;
  return first.toUpperCase() + rest.join('').toLowerCase();
}

export function titleCase(value: string): string {
  return value.replace(/[^\s({[<-]+/g, capitalize);
}

export function strip(value: string, characters: string | undefined, start: boolean, end: boolean): string {
  if (characters === undefined) {
    const front = start ? value.trimStart() : value;
    return end ? front.trimEnd() : front;
  }
  let [from, to] = [0, value.length];
  while (start && from < to && characters.includes(value[from]!)) from += 1;
  while (end && to > from && characters.includes(value[to - 1]!)) to -= 1;
  return value.slice(from, to);
}

function split(self: string, call: CallArguments): TemplateValue {
  if (call.positional.length === 0 || call.positional[0] === null)
    return self.trim() === '' ? [] : self.trim().split(/\s+/);
  const separator = text(call.positional[0]);
  if (separator === '') throw new TemplateError('split needs a separator that is not empty');
  return self.split(separator);
}
