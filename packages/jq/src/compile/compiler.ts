import type { Builtin } from '../builtins/builtin.js';
import type { FunctionDefinition, Index, Iterate, Node, Slice } from '../syntax/ast.js';
import { formats } from '../values/format.js';
import type { JsonValue } from '../values/json.js';
import { toText } from '../values/json-text.js';
import { identity, indexCode, sliceCode } from './access.js';
import { assignmentCode } from './assignment.js';
import { tryCode } from './attempt.js';
import { bindCode, breakCode, labelCode } from './binding.js';
import { callFunction } from './call.js';
import { type Code, computed, constant } from './code.js';
import { alternativeCode, ifCode } from './conditional.js';
import { arrayCode, objectCode, templateCode } from './construct.js';
import { destructure, loopCode } from './destructure.js';
import { ancestor, type Env } from './env.js';
import { globalIndexCode, globalVariableCode } from './global-variables.js';
import { iterateCode, recurseCode } from './iterate.js';
import { binaryCode, logicalCode, negateCode } from './operators.js';
import {
  type FunctionBinding,
  functionKey,
  labelKey,
  lookUp,
  type Scope,
  variableKey,
  withBinding,
} from './scope.js';
import { commaCode, pipeCode } from './sequence.js';
import { locate } from './strict.js';

type Access = Index | Slice | Iterate;

/** Nodes a program may expand to; beyond it functions are called instead of expanded. */
const expansionLimit = 4_000;

/** Turns a checked syntax tree into code. One compiler serves one program. */
export class Compiler {
  private expanded = 0;
  private readonly builtinBindings = new Map<string, FunctionBinding>();

  constructor(
    readonly globals: readonly string[],
    /** The built-in of a key `name/arity`. */
    readonly findBuiltin: (key: string) => Builtin | undefined,
  ) {}

  /** Whether calls may still be replaced by their function's body. */
  get mayExpand(): boolean {
    return this.expanded < expansionLimit;
  }

  /** The binding of a built-in written in jq; one per program, so that a recursive one is compiled once. */
  builtinBinding(key: string, definition: FunctionDefinition): FunctionBinding {
    let binding = this.builtinBindings.get(key);
    if (binding === undefined) {
      binding = { kind: 'function', definition, scope: null, height: 0, code: null };
      this.builtinBindings.set(key, binding);
    }
    return binding;
  }

  /** Code of `node` where the names of `scope` are visible and the environment is `height` cells long. */
  compile(node: Node, scope: Scope, height: number): Code {
    this.expanded++;
    const compile = (child: Node): Code => this.compile(child, scope, height);
    switch (node.type) {
      case 'identity':
        return identity;
      case 'recurse':
        return recurseCode;
      case 'literal':
        return constant(node.value);
      case 'format':
        return formatCode(node.name, node.range);
      case 'template':
        return this.template(node, compile);
      case 'index':
      case 'slice':
      case 'iterate':
        return this.access(node, scope, height, false);
      case 'array':
        return arrayCode(node.body === null ? null : compile(node.body));
      case 'object': {
        const entries = node.entries.map(({ key, value }) => ({
          key: compile(key),
          value: value === null ? null : compile(value),
        }));
        return objectCode(entries, node.range);
      }
      case 'negate':
        return negateCode(compile(node.operand), node.range);
      case 'pipe':
        return pipeCode(node.stages.map(compile));
      case 'comma':
        return commaCode(node.items.map(compile));
      case 'binary':
        return binaryCode(node.operator, compile(node.left), compile(node.right), node.range);
      case 'logical':
        return logicalCode(node.operator, compile(node.left), compile(node.right));
      case 'alternative':
        return alternativeCode(compile(node.left), compile(node.right));
      case 'assignment':
        return assignmentCode(this, node, scope, height);
      case 'if':
        return node.branches.reduceRight(
          (otherwise, { condition, then }) => ifCode(compile(condition), compile(then), otherwise),
          node.otherwise === null ? identity : compile(node.otherwise),
        );
      case 'try':
        if (node.accessOnly) return this.access(node.body as Access, scope, height, true);
        return tryCode(compile(node.body), node.handler === null ? null : compile(node.handler));
      case 'reduce':
      case 'foreach':
        return loopCode(this, node, scope, height);
      case 'as':
        return destructure(this, node, scope, height);
      case 'label': {
        const inner = withBinding(scope, labelKey(node.name), { kind: 'label', height: height + 1 });
        return labelCode(this.compile(node.body, inner, height + 1));
      }
      case 'break': {
        const binding = lookUp(scope, labelKey(node.name));
        if (binding?.kind !== 'label') throw new Error(`Label ${node.name} was not checked`);
        const levels = height - binding.height;
        return breakCode((env: Env) => ancestor(env, levels));
      }
      case 'def': {
        const { definition, body } = node;
        const key = functionKey(definition.name, definition.parameters.length);
        const binding = { kind: 'function', definition, scope, height, code: null } as const;
        return this.compile(body, withBinding(scope, key, { ...binding }), height);
      }
      case 'call':
        return callFunction(this, node, scope, height);
      case 'variable':
        return this.variable(node.name, scope, height);
    }
  }

  /** An access; one that is optional has no output where it fails. */
  private access(node: Access, scope: Scope, height: number, optional: boolean): Code {
    const compile = (child: Node): Code => this.compile(child, scope, height);
    switch (node.type) {
      case 'index': {
        const key = compile(node.key);
        const target = compile(node.target);
        const position = this.globalPosition(node.target, scope);
        const code = indexCode(target, key, node.range, optional);
        return position === null ? code : globalIndexCode(position, key, code);
      }
      case 'slice': {
        const from = node.from === null ? null : compile(node.from);
        const to = node.to === null ? null : compile(node.to);
        return sliceCode(compile(node.target), from, to, node.range, optional);
      }
      case 'iterate':
        return iterateCode(compile(node.target), node.range, optional);
    }
  }

  /** `source as $name | body`, with a body that may use `name`. */
  bind(source: Code, name: string, body: Node, scope: Scope, height: number): Code {
    const inner = withBinding(scope, variableKey(name), { kind: 'variable', height: height + 1 });
    return bindCode(source, this.compile(body, inner, height + 1));
  }

  private variable(name: string, scope: Scope, height: number): Code {
    const binding = lookUp(scope, variableKey(name));
    if (binding?.kind === 'variable') {
      const levels = height - binding.height;
      if (levels === 0) return computed((_value, env) => env.value as JsonValue);
      if (levels === 1) return computed((_value, env) => env.up!.value as JsonValue);
      return computed((_value, env) => ancestor(env, levels).value as JsonValue);
    }
    const position = this.globals.indexOf(name);
    if (position === -1) throw new Error(`Variable ${name} was not checked`);
    return globalVariableCode(position);
  }

  /** The position of the global variable that `node` is, if it is one. */
  private globalPosition(node: Node, scope: Scope): number | null {
    if (node.type !== 'variable' || lookUp(scope, variableKey(node.name)) !== undefined) return null;
    const position = this.globals.indexOf(node.name);
    return position === -1 ? null : position;
  }

  private template(node: Extract<Node, { type: 'template' }>, compile: (node: Node) => Code): Code {
    const texts = [''];
    const parts: Code[] = [];
    for (const part of node.parts) {
      if (typeof part === 'string') texts[texts.length - 1] += part;
      else {
        parts.push(compile(part));
        texts.push('');
      }
    }
    return templateCode(texts, parts, node.format === null ? toText : formats.get(node.format)!, node.range);
  }
}

function formatCode(name: string, range: Node['range']): Code {
  const format = formats.get(name)!;
  return computed((value, { context }) => {
    try {
      return format(value, context);
    } catch (error) {
      throw locate(error, range);
    }
  });
}
