import type { As, Node, Pattern } from '../syntax/ast.js';
import type { Range } from '../syntax/range.js';

/**
 * Destructuring in terms of plain bindings. Hidden names contain a dot, which no program can write.
 */
export function lowerPattern(written: Pattern, source: Node, body: Node): Node {
  if (written.type === 'variable') return bind(source, written.name, body);
  const pattern = withoutRepetitions(written, new Set());
  if (!hasKeyExpressions(pattern)) return lowerParts(pattern, source, body, (name) => name);
  // Key expressions see the names outside the pattern only, so the pattern's own names come last.
  const names = patternNames([pattern]);
  const temporary = (name: string): string => `.pattern.${names.indexOf(name)}`;
  const inner = names.reduceRight(
    (rest, name) => bind(variable(temporary(name), pattern.range), name, rest),
    body,
  );
  return lowerParts(pattern, source, inner, temporary);
}

/** A name that nothing reads. */
const unread = '.unread';

/**
 * The same pattern with every name in one place, `seen` being those that have one. Of a name that occurs several times
 * jq keeps the last one of an array and the first one of an object.
 */
function withoutRepetitions(pattern: Pattern, seen: Set<string>): Pattern {
  const nameOnce = (name: string): string => {
    if (seen.has(name)) return unread;
    seen.add(name);
    return name;
  };
  if (pattern.type === 'variable') return { ...pattern, name: nameOnce(pattern.name) };
  if (pattern.type === 'array') {
    const items = [...pattern.items].reverse().map((item) => withoutRepetitions(item, seen));
    return { ...pattern, items: items.reverse() };
  }
  const entries = pattern.entries.map(({ key, variable: name, pattern: inner }) => ({
    key,
    variable: name === null ? null : nameOnce(name),
    pattern: inner === null ? null : withoutRepetitions(inner, seen),
  }));
  return { ...pattern, entries };
}

/** Every name a list of alternative patterns binds, in order. */
export function patternNames(patterns: readonly Pattern[]): string[] {
  const names = new Set<string>();
  const visit = (pattern: Pattern): void => {
    if (pattern.type === 'variable') names.add(pattern.name);
    else if (pattern.type === 'array') pattern.items.forEach(visit);
    else {
      for (const entry of pattern.entries) {
        if (entry.variable !== null) names.add(entry.variable);
        if (entry.pattern !== null) visit(entry.pattern);
      }
    }
  };
  patterns.forEach(visit);
  return [...names];
}

/** Whether a pattern computes keys, which may give several results. */
export function hasKeyExpressions(pattern: Pattern): boolean {
  if (pattern.type === 'variable') return false;
  if (pattern.type === 'array') return pattern.items.some(hasKeyExpressions);
  return pattern.entries.some(
    ({ key, pattern: inner }) => key.type !== 'literal' || (inner !== null && hasKeyExpressions(inner)),
  );
}

function lowerParts(pattern: Pattern, source: Node, body: Node, rename: (name: string) => string): Node {
  const { range } = pattern;
  if (pattern.type === 'variable') return bind(source, rename(pattern.name), body);
  const whole = `.whole.${range.start}`;
  const wholeVariable = variable(whole, range);
  if (pattern.type === 'array') {
    // jq takes the last element first, which shows where several are wrong.
    const parts = pattern.items.reduce((rest, item, position) => {
      const element: Node = {
        type: 'index',
        target: wholeVariable,
        key: { type: 'literal', value: position, range: item.range },
        range: item.range,
      };
      return lowerParts(item, element, rest, rename);
    }, body);
    return bind(source, whole, parts);
  }
  const parts = pattern.entries.reduceRight((rest, entry) => {
    const keyRange = entry.key.range;
    const isLiteral = entry.key.type === 'literal';
    const keyName = `.key.${keyRange.start}`;
    const key = isLiteral ? entry.key : variable(keyName, keyRange);
    const part: Node = { type: 'index', target: wholeVariable, key, range: keyRange };
    let inner = rest;
    if (entry.variable !== null) {
      const bound = rename(entry.variable);
      if (entry.pattern !== null) inner = lowerParts(entry.pattern, variable(bound, keyRange), inner, rename);
      inner = bind(part, bound, inner);
    } else inner = lowerParts(entry.pattern!, part, inner, rename);
    if (isLiteral) return inner;
    return bind({ type: 'pipe', stages: [wholeVariable, entry.key], range: keyRange }, keyName, inner);
  }, body);
  return bind(source, whole, parts);
}

export function bind(source: Node, name: string, body: Node): As {
  const { range } = source;
  return { type: 'as', source, patterns: [{ type: 'variable', name, range }], body, range };
}

export function variable(name: string, range: Range): Node {
  return { type: 'variable', name, range };
}
