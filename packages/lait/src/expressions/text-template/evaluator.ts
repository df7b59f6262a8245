import { setOwnProperty } from '../../values/value.js';
import { arithmetic } from './arithmetic.js';
import type { FilterTools } from './filter.js';
import { templateFilters } from './filters.js';
import type { Frame } from './frame.js';
import { field, item, slice } from './members.js';
import {
  type CallArguments,
  compares,
  defined,
  foundOr,
  isNumeric,
  isTrue,
  type TemplateFunction,
  type TemplateObject,
  type TemplateValue,
  templateText,
  UndefinedValue,
} from './operations.js';
import type { Arguments, FilterCall, TemplateExpression } from './syntax.js';
import { TemplateError } from './template-error.js';
import { templateTests } from './tests.js';
import { type ValueSize, ValueSizes } from './value-sizes.js';

/** Going through so many parts of a value is one step of work. */
const partsOfStep = 16;
const charactersOfStep = 64;

/** Evaluates the expressions of one rendering, and counts its work. */
export class TemplateEvaluator implements FilterTools {
  #steps = 0;
  readonly #sizes = new ValueSizes((items) => this.spend(items / partsOfStep));

  /** `maxSteps`: how much work the rendering may do, in steps as `TemplateLimits` counts them. */
  constructor(private readonly maxSteps: number) {}

  spend(steps: number): void {
    this.#steps += steps;
    if (this.#steps > this.maxSteps) throw new TemplateError('the template does too much work');
  }

  size(value: TemplateValue): ValueSize {
    return this.#sizes.of(value);
  }

  /** Counts the work of going through a whole value. */
  #spendOn<T extends TemplateValue>(value: T): T {
    this.spend(this.size(value).parts / partsOfStep);
    return value;
  }

  /** The same for a text that is taken apart. */
  #spendOnText<T extends TemplateValue>(value: T): T {
    if (typeof value === 'string') this.spend(value.length / charactersOfStep);
    return value;
  }

  test(name: string, value: TemplateValue, argument: TemplateValue): boolean {
    const test = templateTests.get(name);
    if (test === undefined) throw new TemplateError(`unknown test '${name}'`);
    return test(this.#spendOn(value), argument);
  }

  filter(name: string, value: TemplateValue, call: CallArguments): TemplateValue {
    const filter = templateFilters.get(name);
    if (filter === undefined) throw new TemplateError(`unknown filter '${name}'`);
    this.spend(Array.isArray(value) ? 1 + value.length : 1);
    return filter(this.#spendOn(this.#spendOnText(value)), call, this);
  }

  /** Adds the line to errors that do not know theirs. */
  at<T>(line: number, run: () => T): T {
    try {
      return run();
    } catch (error) {
      if (error instanceof TemplateError && error.line === undefined)
        throw new TemplateError(error.message, line);
      throw error;
    }
  }

  /** What filters, one after the other, make of a value. */
  filters(value: TemplateValue, filters: readonly FilterCall[], frame: Frame): TemplateValue {
    let current = value;
    for (const filter of filters) {
      current = this.at(filter.line, () =>
        this.filter(filter.name, current, this.#arguments(filter.arguments, frame)),
      );
    }
    return current;
  }

  #arguments(given: Arguments, frame: Frame): CallArguments {
    return {
      positional: given.positional.map((value) => this.#spendOn(defined(this.value(value, frame)))),
      named: new Map(
        given.named.map(({ name, value }) => [name, this.#spendOn(defined(this.value(value, frame)))]),
      ),
    };
  }

  /** Throws a `TemplateError` for wrong types and used up limits; what is not there is an undefined value. */
  value(expression: TemplateExpression, frame: Frame): TemplateValue {
    this.spend(1);
    const value = this.#valueOf(expression, frame);
    if (typeof value === 'object') this.size(value);
    return value;
  }

  #valueOf(expression: TemplateExpression, frame: Frame): TemplateValue {
    switch (expression.type) {
      case 'literal':
        return expression.value;
      case 'name':
        return foundOr(frame.find(expression.name), expression.name);
      case 'list':
        return expression.items.map((entry) => defined(this.value(entry, frame)));
      case 'dict': {
        const object: TemplateObject = {};
        for (const entry of expression.entries)
          setOwnProperty(
            object,
            templateText(this.value(entry.key, frame)),
            defined(this.value(entry.value, frame)),
          );
        return object;
      }
      case 'field':
        return this.at(expression.line, () => {
          const object = this.value(expression.object, frame);
          const found = field(object, expression.name, expression.name);
          if (typeof found === 'function') this.#spendOn(this.#spendOnText(object));
          return found;
        });
      case 'item': {
        const index = this.value(expression.index, frame);
        return this.at(expression.line, () =>
          item(this.#spendOnText(this.value(expression.object, frame)), index, String(index)),
        );
      }
      case 'slice': {
        const part = (bound: TemplateExpression | undefined) =>
          bound === undefined ? null : this.value(bound, frame);
        return slice(
          this.#spendOnText(this.value(expression.object, frame)),
          part(expression.start),
          part(expression.stop),
          part(expression.step),
        );
      }
      case 'call': {
        const callee = defined(this.value(expression.callee, frame));
        if (typeof callee !== 'function')
          throw new TemplateError('this value cannot be called', expression.line);
        return (callee as TemplateFunction)(this.#arguments(expression.arguments, frame), this);
      }
      case 'filtered':
        return this.filters(this.value(expression.value, frame), [expression.filter], frame);
      case 'test': {
        const { positional } = this.#arguments(expression.arguments, frame);
        return (
          this.test(expression.name, this.value(expression.value, frame), positional[0] ?? null) !==
          expression.negated
        );
      }
      case 'binary':
        return arithmetic(
          expression.operator,
          this.#spendOn(this.value(expression.left, frame)),
          this.#spendOn(this.value(expression.right, frame)),
        );
      case 'negative':
      case 'positive': {
        const value = defined(this.value(expression.value, frame));
        if (!isNumeric(value)) throw new TemplateError('a sign needs a number', expression.line);
        return expression.type === 'negative' ? -Number(value) : Number(value);
      }
      case 'not':
        return !isTrue(this.value(expression.value, frame));
      case 'and': {
        const left = this.value(expression.left, frame);
        return isTrue(left) ? this.value(expression.right, frame) : left;
      }
      case 'or': {
        const left = this.value(expression.left, frame);
        return isTrue(left) ? left : this.value(expression.right, frame);
      }
      case 'compare':
        return this.#compare(expression, frame);
      case 'choice':
        if (isTrue(this.value(expression.test, frame))) return this.value(expression.yes, frame);
        return expression.no === undefined
          ? new UndefinedValue("the value of an 'if' without 'else'", true)
          : this.value(expression.no, frame);
    }
  }

  #compare(expression: Extract<TemplateExpression, { type: 'compare' }>, frame: Frame): boolean {
    let left = this.#spendOn(this.value(expression.first, frame));
    for (const { operator, value } of expression.rest) {
      const right = this.#spendOn(this.value(value, frame));
      if (!compares(operator, left, right)) return false;
      left = right;
    }
    return true;
  }
}
