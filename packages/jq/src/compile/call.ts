import type { Call, FunctionDefinition, Node } from '../syntax/ast.js';
import { bindCode } from './binding.js';
import { type Cardinality, type Code, meteredCode } from './code.js';
import type { Compiler } from './compiler.js';
import { ancestor } from './env.js';
import {
  type Argument,
  Closure,
  callable,
  callCode,
  closureCallCode,
  FunctionCode,
} from './function-code.js';
import { bind, variable } from './lower.js';
import { callsFunction, nodeDepth } from './measure.js';
import {
  type ArgumentBinding,
  type FunctionBinding,
  functionKey,
  lookUp,
  type Scope,
  variableKey,
  withBinding,
} from './scope.js';

/** A call of a function, a parameter, or a built-in. */
export function callFunction(compiler: Compiler, node: Call, scope: Scope, height: number): Code {
  const key = functionKey(node.name, node.arguments.length);
  const binding = lookUp(scope, key);
  switch (binding?.kind) {
    case 'argument':
      return argumentCode(compiler, binding, height);
    case 'closure':
      return closureCallCode(height - binding.height);
    case 'function':
      return callBinding(compiler, key, binding, node, scope, height);
    default: {
      const builtin = compiler.findBuiltin(key);
      if (builtin === undefined) throw new Error(`Function ${key} was not checked`);
      return builtin.compile({ compiler, node, scope, height });
    }
  }
}

/**
 * The code of an expanded function's argument. A second use shares the code of the first, so that arguments used twice
 * at every level do not double the program; as the work still doubles, shared code pays for itself.
 */
function argumentCode(compiler: Compiler, binding: ArgumentBinding, height: number): Code {
  const known = binding.codes.get(height);
  if (known !== undefined) return meteredCode(known);
  const code = compiler.compile(binding.node, binding.scope, height);
  binding.codes.set(height, code);
  return code;
}

/** Expands a call where that is possible and pays, or else calls the function at run time. */
export function callBinding(
  compiler: Compiler,
  key: string,
  binding: FunctionBinding,
  node: Call,
  scope: Scope,
  height: number,
): Code {
  if (compiler.mayExpand && isExpandable(binding)) {
    return expandCall(compiler, key, binding, node.arguments, scope, height);
  }
  return callAtRunTime(compiler, binding, node, scope, height);
}

function isExpandable({ definition }: FunctionBinding): boolean {
  return !definition.name.startsWith('.') && !isRecursive(definition);
}

const recursive = new WeakMap<FunctionDefinition, boolean>();

/** Whether a definition calls itself, directly or through functions defined in it. */
function isRecursive(definition: FunctionDefinition): boolean {
  let known = recursive.get(definition);
  if (known === undefined) {
    known = callsFunction(definition.body, definition.name, definition.parameters.length, definition);
    recursive.set(definition, known);
  }
  return known;
}

/** Replaces a call by the function's body, its parameters standing for the arguments as written. */
function expandCall(
  compiler: Compiler,
  key: string,
  binding: FunctionBinding,
  args: readonly Node[],
  scope: Scope,
  height: number,
): Code {
  const { definition } = binding;
  let inner = withBinding(binding.scope, key, binding);
  definition.parameters.forEach(({ name }, position) => {
    inner = withBinding(inner, functionKey(name, 0), {
      kind: 'argument',
      node: args[position]!,
      scope,
      codes: new Map(),
    });
  });
  const valueParameters = definition.parameters.flatMap(({ name, value }, position) =>
    value ? [{ name, node: args[position]! }] : [],
  );
  const sources = valueParameters.map(({ name, node }, position) => {
    inner = withBinding(inner, variableKey(name), { kind: 'variable', height: height + position + 1 });
    return compiler.compile(node, scope, height + position);
  });
  const body = compiler.compile(definition.body, inner, height + sources.length);
  return sources.reduceRight((code, source) => bindCode(source, code), body);
}

/** Calls a function that is not expanded. Value arguments with several outputs are bound one at a time. */
function callAtRunTime(
  compiler: Compiler,
  binding: FunctionBinding,
  node: Call,
  scope: Scope,
  height: number,
): Code {
  const { parameters } = binding.definition;
  const values = node.arguments.map((argument, position) =>
    isValueParameter(binding.definition, position) ? compiler.compile(argument, scope, height) : null,
  );
  const many = values.findIndex((code) => code !== null && code.direct === null);
  if (many !== -1) {
    // Earlier arguments vary slower, so all of them are bound before the call.
    const names = node.arguments.map((_, position) => `.argument.${node.range.start}.${position}`);
    const args = node.arguments.map((argument, position) =>
      values[position] === null ? argument : variable(names[position]!, node.range),
    );
    const call: Node = { ...node, arguments: args };
    const bound = node.arguments.reduceRight<Node>(
      (body, argument, position) =>
        values[position] === null ? body : bind(argument, names[position]!, body),
      call,
    );
    return compiler.compile(bound, scope, height);
  }
  const target = compileFunction(compiler, binding);
  const args = parameters.map((_, position): Argument => {
    const code = values[position];
    if (code) return { kind: 'value', code };
    return { kind: 'closure', make: closureMaker(compiler, node.arguments[position]!, scope, height) };
  });
  return callCode(target, args, height - binding.height);
}

/** A `$name` parameter that the body never calls as a function is computed once, before the call. */
function isValueParameter(definition: FunctionDefinition, position: number): boolean {
  const { name, value } = definition.parameters[position]!;
  return value && !callsFunction(definition.body, name, 0, null);
}

function closureMaker(
  compiler: Compiler,
  argument: Node,
  scope: Scope,
  height: number,
): (env: import('./env.js').Env) => Closure {
  if (argument.type === 'call' && argument.arguments.length === 0) {
    const binding = lookUp(scope, functionKey(argument.name, 0));
    // A parameter handed on is handed on as it is: recursion must not wrap it once more each time.
    if (binding?.kind === 'closure') {
      const levels = height - binding.height;
      return (env) => ancestor(env, levels).value as Closure;
    }
  }
  const target = callable(compiler.compile(argument, scope, height), nodeDepth(argument));
  return (env) => new Closure(target, env);
}

const strength: Record<Cardinality, number> = { one: 0, optional: 1, many: 2 };

/**
 * Compiles a function once. Its own calls assume that it gives one output; where the body turns out to give more or
 * fewer, it is compiled again with that knowledge.
 */
function compileFunction(compiler: Compiler, binding: FunctionBinding): FunctionCode {
  if (binding.code !== null) return binding.code;
  const { definition, height } = binding;
  const target = new FunctionCode();
  target.weight = nodeDepth(definition.body) + 1;
  binding.code = target;
  let scope = withBinding(binding.scope, functionKey(definition.name, definition.parameters.length), binding);
  let body = definition.body;
  definition.parameters.forEach(({ name, value }, position) => {
    const cell = height + position + 1;
    if (isValueParameter(definition, position)) {
      scope = withBinding(scope, variableKey(name), { kind: 'variable', height: cell });
      return;
    }
    scope = withBinding(scope, functionKey(name, 0), { kind: 'closure', height: cell });
    if (value) {
      const call: Node = { type: 'call', name, arguments: [], range: definition.range };
      body = bind(call, name, body);
    }
  });
  const bodyHeight = height + definition.parameters.length;
  if (!isRecursive(definition)) {
    target.code = compiler.compile(body, scope, bodyHeight);
    target.cardinality = target.code.cardinality;
    return target;
  }
  // Nested recursive functions are compiled once more for each level; large programs do without the knowledge.
  if (!compiler.mayExpand) target.cardinality = 'many';
  for (;;) {
    const code = compiler.compile(body, scope, bodyHeight);
    target.code = code;
    if (strength[code.cardinality] <= strength[target.cardinality]) return target;
    target.cardinality = code.cardinality;
  }
}
