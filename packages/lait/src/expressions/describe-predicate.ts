import type { JsonValue } from '../values/value.js';
import type { Operand, Predicate } from './predicate.js';

const longest = 120;

/** A predicate for people: `inputData.priority eq "urgent" and not exists state.done`. Long ones are shortened. */
export function describePredicate(predicate: Predicate): string {
  const text = describe(predicate);
  return text.length <= longest ? text : `${text.slice(0, longest - 1)}…`;
}

function describe(predicate: Predicate): string {
  switch (predicate.op) {
    case 'and':
    case 'or':
      return predicate.args.length === 0
        ? String(predicate.op === 'and')
        : predicate.args.map(inner).join(` ${predicate.op} `);
    case 'not':
      return `not ${inner(predicate.arg)}`;
    case 'exists':
    case 'notExists':
      return `${predicate.op} ${predicate.path}`;
    case 'truthy':
    case 'falsy':
      return `${predicate.op} ${side(predicate.value)}`;
    case 'in':
    case 'notIn':
      return `${side(predicate.value)} ${predicate.op} ${literal(predicate.set)}`;
    default:
      return `${side(predicate.left)} ${predicate.op} ${side(predicate.right)}`;
  }
}

function inner(predicate: Predicate): string {
  const text = describe(predicate);
  return predicate.op === 'and' || predicate.op === 'or' ? `(${text})` : text;
}

function side(operand: Operand): string {
  if ('literal' in operand) return literal(operand.literal);
  return 'path' in operand ? operand.path : 'nothing';
}

function literal(value: JsonValue): string {
  const text = JSON.stringify(value) ?? 'nothing';
  return text.length <= 40 ? text : `${text.slice(0, 39)}…`;
}
