import type { BinaryOperator } from '../syntax/ast.js';
import type { Range } from '../syntax/range.js';
import { negate, operations } from '../values/arithmetic.js';
import { isTruthy, type JsonValue } from '../values/json.js';
import { allBounded, type Code, combined, type Direct, linkDirect } from './code.js';
import type { Op } from './machine.js';
import { linkAside, locate, strict } from './strict.js';

/** `-operand` */
export function negateCode(operand: Code, range: Range): Code {
  return strict([operand], ([value]) => negate(value!), range);
}

/** Operators on two numbers, which need no look at types. */
const numeric: Partial<Record<BinaryOperator, (left: number, right: number) => JsonValue>> = {
  '+': (left, right) => left + right,
  '-': (left, right) => left - right,
  '*': (left, right) => left * right,
  '==': (left, right) => left === right,
  '!=': (left, right) => left !== right,
  '<': (left, right) => left < right,
  '<=': (left, right) => left <= right,
  '>': (left, right) => left > right,
  '>=': (left, right) => left >= right,
};

/** `left operator right`; the right side varies slower. */
export function binaryCode(operator: BinaryOperator, left: Code, right: Code, range: Range): Code {
  const operation = operations[operator]!;
  const code = strict([right, left], ([b, a], context) => operation(a!, b!, context), range);
  if (code.direct === null || code.constant !== undefined) return code;
  const fast = numericDirect(operator, left.direct!, right.direct!, range);
  return {
    ...code,
    direct: fast,
    push: (value, path, env, emit) => {
      const result = fast(value, env);
      return result === undefined ? false : emit(result, path);
    },
    link: code.bounded ? linkDirect(fast) : code.link,
  };
}

function numericDirect(operator: BinaryOperator, left: Direct, right: Direct, range: Range): Direct {
  const operation = operations[operator]!;
  const onNumbers = numeric[operator];
  return (value, env) => {
    const b = right(value, env);
    if (b === undefined) return undefined;
    const a = left(value, env);
    if (a === undefined) return undefined;
    // NaN is ordered in jq, so that only what is equal to itself may take the short way.
    if (onNumbers !== undefined && typeof a === 'number' && typeof b === 'number') {
      // biome-ignore lint/suspicious/noSelfCompare: only NaN differs from itself.
      if (a === a && b === b) return onNumbers(a, b);
    }
    try {
      return operation(a, b, env.context);
    } catch (error) {
      throw locate(error, range);
    }
  };
}

/** `left and right`, `left or right`: the right side runs only where the left one does not decide. */
export function logicalCode(operator: 'and' | 'or', left: Code, right: Code): Code {
  const decisive = operator === 'or';
  const operands = [left, right];
  const bounded = allBounded(operands);
  const cardinality = combined(operands);
  const link = (next: Op): Op => {
    const give = (machine: { value: JsonValue }, result: boolean): Op => {
      machine.value = result;
      return next;
    };
    const second = linkAside(right, (machine, result) => give(machine, isTruthy(result)));
    return linkAside(left, (machine, result) =>
      isTruthy(result) === decisive ? give(machine, decisive) : second(machine),
    );
  };
  if (cardinality === 'many') {
    return {
      cardinality,
      bounded,
      direct: null,
      push: (value, path, env, emit) =>
        left.push(value, null, env, (first) => {
          if (isTruthy(first) === decisive) return emit(decisive, path);
          return right.push(value, null, env, (second) => emit(isTruthy(second), path));
        }),
      link,
    };
  }
  const first = left.direct!;
  const second = right.direct!;
  const direct: Direct = (value, env) => {
    const a = first(value, env);
    if (a === undefined) return undefined;
    if (isTruthy(a) === decisive) return decisive;
    const b = second(value, env);
    return b === undefined ? undefined : isTruthy(b);
  };
  return {
    cardinality,
    bounded,
    direct,
    push: (value, path, env, emit) => {
      const result = direct(value, env);
      return result === undefined ? false : emit(result, path);
    },
    link: bounded ? linkDirect(direct) : link,
  };
}
