import { globalFunctions } from './global-functions.js';
import type { Arguments, FilterCall, TemplateExpression, TemplateNode } from './syntax.js';

/** A name, filter or test that a template uses, with its line. */
export interface Use {
  kind: 'variable' | 'filter' | 'test';
  name: string;
  line: number;
}

/** Everything a template takes from outside: variables that it does not set itself, filters and tests. */
export function usesOf(nodes: readonly TemplateNode[]): Use[] {
  const uses: Use[] = [];
  visitBody(nodes, new Set(globalFunctions.keys()), uses);
  return uses;
}

/** Names set in a body count from there on; loops, macros and `with` have names of their own. */
function visitBody(nodes: readonly TemplateNode[], outer: ReadonlySet<string>, uses: Use[]): Set<string> {
  const known = new Set(outer);
  const value = (expression: TemplateExpression | undefined) => {
    if (expression !== undefined) visitExpression(expression, known, uses);
  };
  for (const node of nodes) {
    switch (node.type) {
      case 'text':
        break;
      case 'output':
        value(node.value);
        break;
      case 'if':
        for (const branch of node.branches) {
          value(branch.test);
          for (const name of visitBody(branch.body, known, uses)) known.add(name);
        }
        for (const name of visitBody(node.otherwise, known, uses)) known.add(name);
        break;
      case 'for': {
        value(node.items);
        const inner = new Set([...known, ...node.targets, 'loop']);
        if (node.test !== undefined) visitExpression(node.test, inner, uses);
        visitBody(node.body, inner, uses);
        visitBody(node.otherwise, known, uses);
        break;
      }
      case 'set':
        value(node.value);
        if (node.field === undefined) for (const target of node.targets) known.add(target);
        else value({ type: 'name', name: node.targets[0]!, line: node.line });
        break;
      case 'set_block':
        visitBody(node.body, known, uses);
        visitFilters(node.filters, known, uses);
        known.add(node.target);
        break;
      case 'with':
        for (const binding of node.bindings) value(binding.value);
        visitBody(node.body, new Set([...known, ...node.bindings.map((binding) => binding.name)]), uses);
        break;
      case 'filter':
        visitFilters(node.filters, known, uses);
        visitBody(node.body, known, uses);
        break;
      case 'macro': {
        known.add(node.name);
        for (const parameter of node.parameters) value(parameter.fallback);
        visitBody(
          node.body,
          new Set([...known, ...node.parameters.map((parameter) => parameter.name)]),
          uses,
        );
      }
    }
  }
  return known;
}

function visitFilters(filters: readonly FilterCall[], known: ReadonlySet<string>, uses: Use[]): void {
  for (const filter of filters) {
    uses.push({ kind: 'filter', name: filter.name, line: filter.line });
    visitArguments(filter.arguments, known, uses);
  }
}

function visitArguments(given: Arguments, known: ReadonlySet<string>, uses: Use[]): void {
  for (const value of given.positional) visitExpression(value, known, uses);
  for (const { value } of given.named) visitExpression(value, known, uses);
}

function visitExpression(expression: TemplateExpression, known: ReadonlySet<string>, uses: Use[]): void {
  const visit = (child: TemplateExpression | undefined) => {
    if (child !== undefined) visitExpression(child, known, uses);
  };
  switch (expression.type) {
    case 'literal':
      return;
    case 'name':
      if (!known.has(expression.name))
        uses.push({ kind: 'variable', name: expression.name, line: expression.line });
      return;
    case 'list':
      for (const item of expression.items) visit(item);
      return;
    case 'dict':
      for (const entry of expression.entries) {
        visit(entry.key);
        visit(entry.value);
      }
      return;
    case 'field':
      visit(expression.object);
      return;
    case 'item':
      visit(expression.object);
      visit(expression.index);
      return;
    case 'slice':
      for (const part of [expression.object, expression.start, expression.stop, expression.step]) visit(part);
      return;
    case 'call':
      visit(expression.callee);
      visitArguments(expression.arguments, known, uses);
      return;
    case 'filtered':
      visit(expression.value);
      visitFilters([expression.filter], known, uses);
      return;
    case 'test':
      visit(expression.value);
      uses.push({ kind: 'test', name: expression.name, line: expression.line });
      visitArguments(expression.arguments, known, uses);
      return;
    case 'compare':
      visit(expression.first);
      for (const { value } of expression.rest) visit(value);
      return;
    case 'choice':
      for (const part of [expression.test, expression.yes, expression.no]) visit(part);
      return;
    case 'negative':
    case 'positive':
    case 'not':
      visit(expression.value);
      return;
    default:
      visit(expression.left);
      visit(expression.right);
  }
}
