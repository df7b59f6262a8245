import { jsonEqual } from '../values/json-equal.js';
import { notShown, textOf } from '../values/text.js';
import { isObject, type JsonValue, type Value } from '../values/value.js';
import { requireWritable } from '../values/value-size.js';

/** Longest difference that a report shows, in lines. */
const mostLines = 60;
/** Most lines in which two values are compared; beyond, all of one stands before all of the other. */
const mostChanges = 5000;

/** Undefined when the values are equal, else what differs, line by line: `-` expected, `+` actual. */
export async function differenceOf(expected: JsonValue, actual: Value): Promise<string | undefined> {
  if (jsonEqual(expected, actual ?? null)) return undefined;
  const [left, right] = shown(expected, actual ?? null);
  const { diffLines } = await import('diff');
  const changes = diffLines(left, right, { maxEditLength: mostChanges }) ?? [
    { value: left, added: false, removed: true },
    { value: right, added: true, removed: false },
  ];
  const lines = changes.flatMap(({ value, added, removed }) => {
    const mark = added ? '+' : removed ? '-' : ' ';
    const part = value.replace(/\n$/, '').split('\n');
    return mark === ' ' ? contextOf(part) : part.map((line) => `${mark} ${line}`);
  });
  const more = lines.length - mostLines;
  return [...lines.slice(0, mostLines), ...(more > 0 ? [`… ${more} more lines`] : [])].join('\n');
}

/**
 * Whether a value holds another one. Text: as a part of the value's text form. A list: each element is held by some
 * element. A mapping: each key with a value that is held. Everything else: equal.
 */
export function holds(actual: Value, expected: JsonValue): boolean {
  if (typeof expected === 'string') return textOf(actual).includes(expected);
  if (Array.isArray(expected)) {
    return (
      Array.isArray(actual) && expected.every((part) => actual.some((element) => holdsPart(element, part)))
    );
  }
  if (isObject(expected)) {
    return (
      isObject(actual) &&
      Object.entries(expected).every(
        ([key, part]) => Object.hasOwn(actual, key) && holdsPart(actual[key], part),
      )
    );
  }
  return Array.isArray(actual)
    ? actual.some((element) => jsonEqual(element, expected))
    : jsonEqual(actual ?? null, expected);
}

/** Inside lists and mappings a text means itself, not a part of something that only prints alike. */
function holdsPart(actual: Value, expected: JsonValue): boolean {
  if (typeof expected === 'string') return actual === expected;
  return Array.isArray(expected) || isObject(expected)
    ? holds(actual, expected)
    : jsonEqual(actual ?? null, expected);
}

/** Two texts are compared as they are, everything else as JSON with sorted keys. */
function shown(expected: JsonValue, actual: JsonValue): [string, string] {
  if (typeof expected === 'string' && typeof actual === 'string') return [`${expected}\n`, `${actual}\n`];
  return [`${pretty(expected)}\n`, `${pretty(actual)}\n`];
}

function pretty(value: JsonValue): string {
  try {
    requireWritable(value);
    return JSON.stringify(value, (_, part) => (isObject(part) ? sorted(part) : part), 2);
  } catch {
    return notShown;
  }
}

function sorted(object: Record<string, JsonValue>): [string, JsonValue][] | object {
  const entries = Object.entries(object).sort(([one], [other]) => (one < other ? -1 : 1));
  return Object.fromEntries(entries);
}

/** Of a long equal part only what is next to a difference. */
function contextOf(lines: readonly string[]): string[] {
  const marked = lines.map((line) => `  ${line}`);
  return marked.length <= 6 ? marked : [...marked.slice(0, 3), '  …', ...marked.slice(-3)];
}
