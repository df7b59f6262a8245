import type { As, Foreach, Node, Pattern, Reduce } from '../syntax/ast.js';
import { attemptsCode } from './attempt.js';
import { bindCode } from './binding.js';
import type { Code } from './code.js';
import type { Compiler } from './compiler.js';
import { foreachCode, reduceCode } from './loops.js';
import { bind, hasKeyExpressions, lowerPattern, patternNames, variable } from './lower.js';
import { reduceInPlace } from './reduce-in-place.js';
import { functionKey, type Scope, variableKey, withBinding } from './scope.js';

/** `source as pattern | body` and `source as p1 ?// p2 | body`. */
export function destructure(compiler: Compiler, node: As, scope: Scope, height: number): Code {
  const [pattern, ...alternatives] = node.patterns;
  if (alternatives.length > 0) return destructureAlternatives(compiler, node, scope, height);
  if (pattern!.type === 'variable') {
    const source = compiler.compile(node.source, scope, height);
    return compiler.bind(source, pattern!.name, node.body, scope, height);
  }
  return compiler.compile(lowerPattern(pattern!, node.source, node.body), scope, height);
}

/** Name of the function that holds the body shared by alternative patterns. */
const sharedBody = '.body';

function destructureAlternatives(compiler: Compiler, node: As, scope: Scope, height: number): Code {
  const { range } = node;
  const names = patternNames(node.patterns);
  const definition = {
    name: sharedBody,
    parameters: names.map((name) => ({ name, value: true })),
    body: node.body,
    range,
  };
  const sourceName = `.source.${range.start}`;
  const source = compiler.compile(node.source, scope, height);
  const bodyKey = functionKey(sharedBody, names.length);
  const sourceHeight = height + 1;
  const withSource = withBinding(scope, variableKey(sourceName), { kind: 'variable', height: sourceHeight });
  const inner = withBinding(withSource, bodyKey, {
    kind: 'function',
    definition,
    scope: withSource,
    height: sourceHeight,
    code: null,
  });
  const attempts = node.patterns.map((pattern) => {
    const own = new Set(patternNames([pattern]));
    const call: Node = {
      type: 'call',
      name: sharedBody,
      arguments: names.map((name) =>
        own.has(name) ? variable(name, range) : { type: 'literal', value: null, range },
      ),
      range,
    };
    return compiler.compile(lowerPattern(pattern, variable(sourceName, range), call), inner, sourceHeight);
  });
  return bindCode(source, attemptsCode(attempts));
}

/** `reduce` and `foreach` with any kind of pattern. */
export function loopCode(compiler: Compiler, node: Reduce | Foreach, scope: Scope, height: number): Code {
  const { range } = node;
  const [pattern] = node.patterns;
  const isPlain = node.patterns.length === 1 && !hasKeyExpressions(pattern!);
  const itemName = pattern!.type === 'variable' && isPlain ? pattern!.name : `.item.${range.start}`;
  const inner = withBinding(scope, variableKey(itemName), { kind: 'variable', height: height + 1 });
  const source = isPlain ? node.source : collectVariables(node.source, node.patterns);
  const unpack = (body: Node): Node => {
    if (isPlain) {
      return pattern!.type === 'variable' ? body : lowerPattern(pattern!, variable(itemName, range), body);
    }
    return patternNames(node.patterns).reduceRight((rest, name, position) => {
      const key: Node = { type: 'literal', value: position, range };
      const element: Node = { type: 'index', target: variable(itemName, range), key, range };
      return bind(element, name, rest);
    }, body);
  };
  const inLoop = (body: Node): Code => compiler.compile(unpack(body), inner, height + 1);
  const sourceCode = compiler.compile(source, scope, height);
  const init = compiler.compile(node.init, scope, height);
  const update = inLoop(node.update);
  if (node.type === 'reduce') {
    const general = reduceCode(sourceCode, init, update);
    if (pattern!.type !== 'variable' || !isPlain) return general;
    return reduceInPlace(node, sourceCode, init, general, inLoop) ?? general;
  }
  const extract = inLoop(node.extract ?? { type: 'identity', range });
  return foreachCode(sourceCode, init, update, extract);
}

/** The variables of every destructured value as arrays, for patterns that may fail or match several times. */
function collectVariables(source: Node, patterns: readonly Pattern[]): Node {
  const { range } = source;
  const items = patternNames(patterns).map((name) => variable(name, range));
  const body: Node = items.length === 1 ? items[0]! : { type: 'comma', items, range };
  return { type: 'as', source, patterns, body: { type: 'array', body, range }, range };
}
