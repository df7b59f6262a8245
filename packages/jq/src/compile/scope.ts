import type { FunctionDefinition, Node } from '../syntax/ast.js';
import type { Code } from './code.js';
import type { FunctionCode } from './function-code.js';

/** What a name means at some place of the program. Heights are positions in the environment, from the root. */
export type Binding =
  | { readonly kind: 'variable' | 'label' | 'closure'; readonly height: number }
  | FunctionBinding
  | ArgumentBinding;

/** A parameter of an expanded function: the argument as written, with the names visible at the call. */
export interface ArgumentBinding {
  readonly kind: 'argument';
  readonly node: Node;
  readonly scope: Scope;
  /** What it was compiled to, by height of the environment. */
  readonly codes: Map<number, Code>;
}

export interface FunctionBinding {
  readonly kind: 'function';
  readonly definition: FunctionDefinition;
  /** Names visible where it is defined, without itself. */
  readonly scope: Scope;
  readonly height: number;
  code: FunctionCode | null;
}

/** The visible names, innermost first. Null is the outermost scope, where only built-ins are visible. */
export type Scope = { readonly key: string; readonly binding: Binding; readonly outer: Scope } | null;

export function withBinding(outer: Scope, key: string, binding: Binding): Scope {
  return { key, binding, outer };
}

export function lookUp(scope: Scope, key: string): Binding | undefined {
  for (let entry = scope; entry !== null; entry = entry.outer) {
    if (entry.key === key) return entry.binding;
  }
  return undefined;
}

export const variableKey = (name: string): string => `$${name}`;
export const labelKey = (name: string): string => `*${name}`;
export const functionKey = (name: string, arity: number): string => `${name}/${arity}`;
