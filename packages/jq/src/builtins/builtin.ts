import { identity } from '../compile/access.js';
import type { Code } from '../compile/code.js';
import type { Compiler } from '../compile/compiler.js';
import type { Context } from '../compile/context.js';
import type { Scope } from '../compile/scope.js';
import { strict } from '../compile/strict.js';
import type { Call } from '../syntax/ast.js';
import type { JsonValue } from '../values/json.js';

/** A call of a built-in and where it stands. */
export interface BuiltinCall {
  readonly compiler: Compiler;
  readonly node: Call;
  readonly scope: Scope;
  readonly height: number;
}

/** A built-in function. */
export interface Builtin {
  compile(call: BuiltinCall): Code;
}

/** A function of the input and the values of the arguments. */
export type ValueFunction = (input: JsonValue, args: readonly JsonValue[], context: Context) => JsonValue;

/** A built-in that needs values only. Combinations of argument values vary the first argument fastest. */
export function valueBuiltin(compute: ValueFunction, pure = true): Builtin {
  // Most functions of a text look through all of it.
  const charged: ValueFunction = (input, args, context) => {
    if (typeof input === 'string') context.chargeText(input.length);
    return compute(input, args, context);
  };
  return {
    compile: (call) => {
      const args = compileArguments(call);
      const { range } = call.node;
      if (args.length === 0)
        return strict([identity], ([input], context) => charged(input!, [], context), range, pure);
      if (args.length === 1) {
        return strict(
          [args[0]!, identity],
          ([a, input], context) => charged(input!, [a!], context),
          range,
          pure,
        );
      }
      const operands = [...args].reverse();
      operands.push(identity);
      return strict(
        operands,
        (values, context) => charged(values.at(-1)!, values.slice(0, -1).reverse(), context),
        range,
        pure,
      );
    },
  };
}

/** The code of every argument, to be run with the call's input. */
export function compileArguments({ compiler, node, scope, height }: BuiltinCall): Code[] {
  return node.arguments.map((argument) => compiler.compile(argument, scope, height));
}

/** Rows of a table of built-ins: `name/arity` and what it is. */
export type BuiltinTable = readonly (readonly [key: string, builtin: Builtin])[];

/** Makes a table of value built-ins. */
export function valueTable(functions: Readonly<Record<string, ValueFunction>>): BuiltinTable {
  return Object.entries(functions).map(([key, compute]) => [key, valueBuiltin(compute)]);
}
