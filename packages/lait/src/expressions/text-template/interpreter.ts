import { TemplateEvaluator } from './evaluator.js';
import { argument } from './filter.js';
import { Frame } from './frame.js';
import { globalFunctions } from './global-functions.js';
import { type LoopMemory, loopVariable } from './loop-variable.js';
import { checkArguments } from './macro-arguments.js';
import {
  type CallArguments,
  defined,
  elements,
  foundOr,
  isTrue,
  Namespace,
  type TemplateObject,
  type TemplateValue,
  templateText,
} from './operations.js';
import type { TemplateNode } from './syntax.js';
import { TemplateError } from './template-error.js';

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
export class TemplateInterpreter {
  readonly #evaluator: TemplateEvaluator;
  #bytes = 0;
  #depth = 0;
  #captures = 0;

  constructor(readonly limits: TemplateLimits) {
    this.#evaluator = new TemplateEvaluator(limits.maxSteps);
  }

  /** Throws a `TemplateError` for undefined names, wrong types, and used up limits. */
  render(nodes: readonly TemplateNode[], values: TemplateObject): string {
    const output: string[] = [];
    this.#body(nodes, new Frame(new Frame(globals, values)), output);
    return output.join('');
  }

  #write(text: string, output: string[]): void {
    if (this.#captures === 0) {
      this.#bytes += Buffer.byteLength(text);
      if (this.#bytes > this.limits.maxOutputBytes)
        throw new TemplateError(`the text is longer than ${this.limits.maxOutputBytes} bytes`);
    }
    this.#evaluator.spend(text.length / 64);
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
      this.#evaluator.spend(1);
      if (node.type === 'text') this.#write(node.text, output);
      else this.#evaluator.at(node.line, () => this.#node(node, frame, output));
    }
  }

  #node(node: Exclude<TemplateNode, { type: 'text' }>, frame: Frame, output: string[]): void {
    switch (node.type) {
      case 'output':
        this.#write(templateText(this.#evaluator.value(node.value, frame)), output);
        return;
      case 'if': {
        const branch = node.branches.find((candidate) =>
          isTrue(this.#evaluator.value(candidate.test, frame)),
        );
        this.#body(branch?.body ?? node.otherwise, frame, output);
        return;
      }
      case 'for':
        this.#for(node, frame, output);
        return;
      case 'set':
        this.#assign(node.targets, node.field, this.#evaluator.value(node.value, frame), frame);
        return;
      case 'set_block':
        frame.set(
          node.target,
          this.#evaluator.filters(this.#capture(node.body, new Frame(frame)), node.filters, frame),
        );
        return;
      case 'with': {
        const inner = new Frame(frame);
        for (const binding of node.bindings)
          inner.set(binding.name, this.#evaluator.value(binding.value, frame));
        this.#body(node.body, inner, output);
        return;
      }
      case 'filter':
        this.#write(
          templateText(
            this.#evaluator.filters(this.#capture(node.body, new Frame(frame)), node.filters, frame),
          ),
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
    let items = elements(this.#evaluator.value(node.items, frame));
    const { test } = node;
    if (test !== undefined) {
      items = items.filter((candidate) => {
        const inner = new Frame(frame);
        this.#bind(node.targets, candidate, inner);
        return isTrue(this.#evaluator.value(test, inner));
      });
    }
    if (items.length === 0) this.#body(node.otherwise, frame, output);
    const memory: LoopMemory = {};
    for (const [index, candidate] of items.entries()) {
      this.#evaluator.spend(1);
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
        value = this.#evaluator.value(parameter.fallback, inner);
      inner.set(parameter.name, foundOr(value, parameter.name));
    }
    const text = this.#capture(node.body, inner);
    this.#depth -= 1;
    return text;
  }
}
