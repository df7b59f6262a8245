import { findBuiltin, listBuiltins, refused } from '../builtins/registry.js';
import { patternNames } from '../compile/lower.js';
import { type CompileErrorCode, JqCompileError } from '../errors.js';
import type { Node, Pattern } from '../syntax/ast.js';
import { eachChild, eachKey } from '../syntax/children.js';
import type { Range } from '../syntax/range.js';
import { formats } from '../values/format.js';
import type { Reference } from './references.js';
import { staticReference } from './references.js';
import { suggest } from './suggest.js';

/** Names visible at a place: `$variable`, `*label`, `function/arity`. */
type Names = { readonly name: string; readonly outer: Names } | null;

function isVisible(names: Names, name: string): boolean {
  for (let entry = names; entry !== null; entry = entry.outer) {
    if (entry.name === name) return true;
  }
  return false;
}

function withNames(names: Names, added: readonly string[]): Names {
  return added.reduce<Names>((outer, name) => ({ name, outer }), names);
}

/**
 * Checks that every function, variable, label and format exists, and collects how the global variables are used.
 * Throws JqCompileError for the first name that does not.
 */
export function resolve(program: Node, globals: readonly string[]): Reference[] {
  const resolver = new Resolver(globals);
  resolver.visit(program);
  return resolver.references;
}

class Resolver {
  readonly references: Reference[] = [];
  /** The names visible at the node that is being visited. */
  private names: Names = null;

  constructor(private readonly globals: readonly string[]) {}

  readonly visit = (node: Node): void => {
    switch (node.type) {
      case 'identity':
      case 'literal':
        return;
      case 'variable':
        this.reference(node);
        return;
      case 'index':
      case 'slice':
      case 'iterate':
        this.visitChain(node);
        return;
      case 'as': {
        this.visit(node.source);
        eachKey(node.patterns, this.visit);
        this.visitWithin(variables(node.patterns), node.body);
        return;
      }
      case 'reduce':
      case 'foreach': {
        this.visit(node.source);
        eachKey(node.patterns, this.visit);
        this.visit(node.init);
        const names = variables(node.patterns);
        this.visitWithin(names, node.update);
        if (node.type === 'foreach' && node.extract !== null) this.visitWithin(names, node.extract);
        return;
      }
      case 'label':
        this.visitWithin([`*${node.name}`], node.body);
        return;
      case 'break':
        if (!isVisible(this.names, `*${node.name}`)) {
          this.fail('undefined_label', `There is no label $${node.name} around this break`, node.range);
        }
        return;
      case 'def': {
        const { name, parameters, body } = node.definition;
        const key = `${name}/${parameters.length}`;
        const inside = parameters.flatMap((parameter) =>
          parameter.value ? [`${parameter.name}/0`, `$${parameter.name}`] : [`${parameter.name}/0`],
        );
        this.visitWithin([key, ...inside], body);
        this.visitWithin([key], node.body);
        return;
      }
      case 'call':
        this.checkFunction(node.name, node.arguments.length, node.range);
        break;
      case 'format':
        this.checkFormat(node.name, node.range);
        return;
      case 'template':
        if (node.format !== null) this.checkFormat(node.format, node.range);
        break;
      default:
        break;
    }
    eachChild(node, this.visit);
  };

  private visitWithin(added: readonly string[], node: Node): void {
    const { names } = this;
    this.names = withNames(names, added);
    this.visit(node);
    this.names = names;
  }

  /** An access chain: if it starts at a global variable, its constant keys belong to the reference. */
  private visitChain(node: Node): void {
    const reference = staticReference(node);
    if (reference === null) {
      eachChild(node, this.visit);
      return;
    }
    for (const key of reference.dynamicKeys) this.visit(key);
    this.reference(reference.variable, reference.reference);
  }

  private reference(node: Extract<Node, { type: 'variable' }>, found?: Reference): void {
    const { name, range } = node;
    if (isVisible(this.names, `$${name}`)) return;
    if (!this.globals.includes(name)) this.failVariable(name, range);
    this.references.push(found ?? { variable: name, path: [], range, complete: true });
  }

  private failVariable(name: string, range: Range): never {
    if (name === 'ENV') {
      const message =
        '$ENV is not supported: the environment is not visible to programs, pass values as variables';
      return this.fail('refused_feature', message, range);
    }
    const visible = [...this.globals];
    for (let entry = this.names; entry !== null; entry = entry.outer) {
      if (entry.name.startsWith('$')) visible.push(entry.name.slice(1));
    }
    const hint = suggest(name, visible);
    const suffix = hint === undefined ? '' : `. Did you mean $${hint}?`;
    return this.fail('undefined_variable', `$${name} is not defined${suffix}`, range);
  }

  private checkFunction(name: string, arity: number, range: Range): void {
    const key = `${name}/${arity}`;
    if (isVisible(this.names, key)) return;
    if (findBuiltin(key) !== undefined && !name.includes('::')) return;
    const reason = refused.get(key);
    if (reason !== undefined) this.fail('refused_feature', `${name} is not supported: ${reason}`, range);
    this.fail('unknown_function', `${key} is not defined${this.functionHint(name, arity)}`, range);
  }

  private functionHint(name: string, arity: number): string {
    const known = listBuiltins();
    for (let entry = this.names; entry !== null; entry = entry.outer) {
      if (/^\w.*\/\d+$/.test(entry.name)) known.push(entry.name);
    }
    const arities = known.filter((key) => key.startsWith(`${name}/`));
    if (arities.length > 0) {
      const counts = arities.map((key) => key.slice(name.length + 1)).join(' or ');
      return `. ${name} takes ${counts} argument${counts === '1' ? '' : 's'}, not ${arity}`;
    }
    const hint = suggest(name, new Set(known.map((key) => key.slice(0, key.lastIndexOf('/')))));
    return hint === undefined ? '' : `. Did you mean ${hint}?`;
  }

  private checkFormat(name: string, range: Range): void {
    if (formats.has(name)) return;
    const hint = suggest(name, formats.keys());
    const suffix = hint === undefined ? '' : `. Did you mean @${hint}?`;
    this.fail('unknown_function', `@${name} is not a valid format${suffix}`, range);
  }

  private fail(code: CompileErrorCode, message: string, range: Range): never {
    throw new JqCompileError(code, message, range);
  }
}

function variables(patterns: readonly Pattern[]): string[] {
  return patternNames(patterns).map((name) => `$${name}`);
}
