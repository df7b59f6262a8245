import { setOwnProperty } from '../../values/value.js';
import { arithmetic } from './arithmetic.js';
import { argument, type FilterTools } from './filter.js';
import { templateFilters } from './filters.js';
import { Frame } from './frame.js';
import { globalFunctions } from './global-functions.js';
import { type LoopMemory, loopVariable } from './loop-variable.js';
import { checkArguments } from './macro-arguments.js';
import { field, item, slice } from './members.js';
import {
  type CallArguments,
  compares,
  defined,
  elements,
  foundOr,
  isNumeric,
  isTrue,
  Namespace,
  type TemplateFunction,
  type TemplateObject,
  type TemplateValue,
  templateText,
  UndefinedValue,
} from './operations.js';
import type { Arguments, FilterCall, TemplateExpression, TemplateNode } from './syntax.js';
import { TemplateError } from './template-error.js';
import { templateTests } from './tests.js';

/** What one rendering may use up. */
export interface TemplateLimits {
  /** Steps of work: evaluated expressions, loop rounds, touched items. */
  maxSteps: number;
  /** Bytes of UTF-8 in the result. */
  maxOutputBytes: number;
}

/** Deepest nesting of macro calls. */
const maxCallDepth = 50;

const globals = new Frame();
for (const [name, call] of globalFunctions) globals.set(name, call);

/** Renders parsed templates. One instance per rendering. */
export class TemplateInterpreter implements FilterTools {
  #steps = 0;
  #bytes = 0;
  #depth = 0;
  #captures = 0;

  constructor(readonly limits: TemplateLimits) {}

  /** Throws a `TemplateError` for undefined names, wrong types, and used up limits. */
  render(nodes: readonly TemplateNode[], values: TemplateObject): string {
    const frame = new Frame(globals);
    for (const [name, value] of Object.entries(values)) frame.set(name, value);
    const output: string[] = [];
    this.#body(nodes, new Frame(frame), output);
    return output.join('');
  }

  spend(steps: number): void {
    this.#steps += steps;
    if (this.#steps > this.limits.maxSteps) throw new TemplateError('the template does too much work');
  }

  test(name: string, value: TemplateValue, argument: TemplateValue): boolean {
    const test = templateTests.get(name);
    if (test === undefined) throw new TemplateError(`unknown test '${name}'`);
    return test(value, argument);
  }

  filter(name: string, value: TemplateValue, call: CallArguments): TemplateValue {
    const filter = templateFilters.get(name);
    if (filter === undefined) throw new TemplateError(`unknown filter '${name}'`);
    this.spend(
      typeof value === 'string' ? 1 + value.length / 64 : Array.isArray(value) ? 1 + value.length : 1,
    );
    return filter(value, call, this);
  }

  #write(text: string, output: string[]): void {
    if (this.#captures === 0) {
      this.#bytes += Buffer.byteLength(text);
      if (this.#bytes > this.limits.maxOutputBytes)
        throw new TemplateError(`the text is longer than ${this.limits.maxOutputBytes} bytes`);
    }
    this.spend(text.length / 64);
    output.push(text);
  }

  #capture(nodes: readonly TemplateNode[], frame: Frame): string {
    const output: string[] = [];
    this.#captures += 1;
    this.#body(nodes, frame, output);
    this.#captures -= 1;
    return output.join('');
  }

  #body(nodes: readonly TemplateNode[], frame: Frame, output: string[]): void {
    for (const node of nodes) {
      this.spend(1);
      if (node.type === 'text') this.#write(node.text, output);
      else this.#at(node.line, () => this.#node(node, frame, output));
    }
  }

  /** Adds the line to errors that do not know theirs. */
  #at<T>(line: number, run: () => T): T {
    try {
      return run();
    } catch (error) {
      if (error instanceof TemplateError && error.line === undefined)
        throw new TemplateError(error.message, line);
      throw error;
    }
  }

  #node(node: Exclude<TemplateNode, { type: 'text' }>, frame: Frame, output: string[]): void {
    switch (node.type) {
      case 'output':
        this.#write(templateText(this.#value(node.value, frame)), output);
        return;
      case 'if': {
        const branch = node.branches.find((candidate) => isTrue(this.#value(candidate.test, frame)));
        this.#body(branch?.body ?? node.otherwise, frame, output);
        return;
      }
      case 'for':
        this.#for(node, frame, output);
        return;
      case 'set':
        this.#assign(node.targets, node.field, this.#value(node.value, frame), frame);
        return;
      case 'set_block':
        frame.set(
          node.target,
          this.#filters(this.#capture(node.body, new Frame(frame)), node.filters, frame),
        );
        return;
      case 'with': {
        const inner = new Frame(frame);
        for (const binding of node.bindings) inner.set(binding.name, this.#value(binding.value, frame));
        this.#body(node.body, inner, output);
        return;
      }
      case 'filter':
        this.#write(
          templateText(this.#filters(this.#capture(node.body, new Frame(frame)), node.filters, frame)),
          output,
        );
        return;
      case 'macro':
        frame.set(node.name, (call) => this.#macro(node, frame, call));
    }
  }

  #assign(targets: readonly string[], name: string | undefined, value: TemplateValue, frame: Frame): void {
    const known = defined(value);
    if (name !== undefined) {
      const namespace = frame.find(targets[0]!);
      if (!(namespace instanceof Namespace)) throw new TemplateError(`'${targets[0]}' is no namespace`);
      namespace.fields.set(name, known);
    } else this.#bind(targets, known, frame);
  }

  #bind(targets: readonly string[], value: TemplateValue, frame: Frame): void {
    if (targets.length === 1) {
      frame.set(targets[0]!, value);
      return;
    }
    const list = elements(value);
    if (list.length !== targets.length)
      throw new TemplateError(`cannot share ${list.length} values among ${targets.length} names`);
    for (const [index, target] of targets.entries()) frame.set(target, list[index]!);
  }

  #for(node: Extract<TemplateNode, { type: 'for' }>, frame: Frame, output: string[]): void {
    let items = elements(this.#value(node.items, frame));
    const { test } = node;
    if (test !== undefined) {
      items = items.filter((candidate) => {
        const inner = new Frame(frame);
        this.#bind(node.targets, candidate, inner);
        return isTrue(this.#value(test, inner));
      });
    }
    if (items.length === 0) this.#body(node.otherwise, frame, output);
    const memory: LoopMemory = {};
    for (const [index, candidate] of items.entries()) {
      this.spend(1);
      const inner = new Frame(frame);
      this.#bind(node.targets, candidate, inner);
      inner.set('loop', loopVariable(items, index, memory));
      this.#body(node.body, inner, output);
    }
  }

  #macro(node: Extract<TemplateNode, { type: 'macro' }>, frame: Frame, call: CallArguments): TemplateValue {
    this.#depth += 1;
    if (this.#depth > maxCallDepth) throw new TemplateError('macros call each other too deeply');
    checkArguments(node, call);
    const inner = new Frame(frame);
    for (const [index, parameter] of node.parameters.entries()) {
      let value = argument(call, index, parameter.name);
      if (value === undefined && parameter.fallback !== undefined)
        value = this.#value(parameter.fallback, inner);
      inner.set(parameter.name, foundOr(value, parameter.name));
    }
    const text = this.#capture(node.body, inner);
    this.#depth -= 1;
    return text;
  }

  #filters(value: TemplateValue, filters: readonly FilterCall[], frame: Frame): TemplateValue {
    let current = value;
    for (const filter of filters) {
      current = this.#at(filter.line, () =>
        this.filter(filter.name, current, this.#arguments(filter.arguments, frame)),
      );
    }
    return current;
  }

  #arguments(given: Arguments, frame: Frame): CallArguments {
    return {
      positional: given.positional.map((value) => defined(this.#value(value, frame))),
      named: new Map(given.named.map(({ name, value }) => [name, defined(this.#value(value, frame))])),
    };
  }

  #value(expression: TemplateExpression, frame: Frame): TemplateValue {
    this.spend(1);
    switch (expression.type) {
      case 'literal':
        return expression.value;
      case 'name':
        return foundOr(frame.find(expression.name), expression.name);
      case 'list':
        return expression.items.map((entry) => defined(this.#value(entry, frame)));
      case 'dict': {
        const object: TemplateObject = {};
        for (const entry of expression.entries)
          setOwnProperty(
            object,
            templateText(this.#value(entry.key, frame)),
            defined(this.#value(entry.value, frame)),
          );
        return object;
      }
      case 'field':
        return this.#at(expression.line, () =>
          field(this.#value(expression.object, frame), expression.name, expression.name),
        );
      case 'item': {
        const index = this.#value(expression.index, frame);
        return this.#at(expression.line, () =>
          item(this.#value(expression.object, frame), index, String(index)),
        );
      }
      case 'slice': {
        const part = (bound: TemplateExpression | undefined) =>
          bound === undefined ? null : this.#value(bound, frame);
        return slice(
          this.#value(expression.object, frame),
          part(expression.start),
          part(expression.stop),
          part(expression.step),
        );
      }
      case 'call': {
        const callee = defined(this.#value(expression.callee, frame));
        if (typeof callee !== 'function')
          throw new TemplateError('this value cannot be called', expression.line);
        return (callee as TemplateFunction)(this.#arguments(expression.arguments, frame), this);
      }
      case 'filtered':
        return this.#filters(this.#value(expression.value, frame), [expression.filter], frame);
      case 'test': {
        const { positional } = this.#arguments(expression.arguments, frame);
        return (
          this.test(expression.name, this.#value(expression.value, frame), positional[0] ?? null) !==
          expression.negated
        );
      }
      case 'binary':
        return arithmetic(
          expression.operator,
          this.#value(expression.left, frame),
          this.#value(expression.right, frame),
        );
      case 'negative':
      case 'positive': {
        const value = defined(this.#value(expression.value, frame));
        if (!isNumeric(value)) throw new TemplateError('a sign needs a number', expression.line);
        return expression.type === 'negative' ? -Number(value) : Number(value);
      }
      case 'not':
        return !isTrue(this.#value(expression.value, frame));
      case 'and': {
        const left = this.#value(expression.left, frame);
        return isTrue(left) ? this.#value(expression.right, frame) : left;
      }
      case 'or': {
        const left = this.#value(expression.left, frame);
        return isTrue(left) ? left : this.#value(expression.right, frame);
      }
      case 'compare':
        return this.#compare(expression, frame);
      case 'choice':
        if (isTrue(this.#value(expression.test, frame))) return this.#value(expression.yes, frame);
        return expression.no === undefined
          ? new UndefinedValue("the value of an 'if' without 'else'")
          : this.#value(expression.no, frame);
    }
  }

  #compare(expression: Extract<TemplateExpression, { type: 'compare' }>, frame: Frame): boolean {
    let left = this.#value(expression.first, frame);
    for (const { operator, value } of expression.rest) {
      const right = this.#value(value, frame);
      if (!compares(operator, left, right)) return false;
      left = right;
    }
    return true;
  }
}
