import { messageChain } from '../../errors/lait-error.js';
import type { Expression, Reference } from '../../expressions/expression.js';
import type { Scope } from '../../expressions/scope.js';
import { type JsonObject, ownProperty, type Value } from '../../values/value.js';
import type { PlannedField } from './planned-run.js';

/** What is known of a scope before the run: the inputs, and in the first step the first value. */
export class KnownScope implements Scope {
  readonly loop = null;
  readonly state: JsonObject = {};
  readonly context = {};

  constructor(
    readonly inputs: Value,
    /** Whether the step's input is known. */
    readonly knowsValue: boolean,
    readonly value: Value,
  ) {}

  step(id: string): Value {
    return ownProperty({}, id);
  }

  hasStep(): boolean {
    return false;
  }

  allSteps(): JsonObject {
    return {};
  }

  /** The text of a template when everything it reads is known; else its source and what is missing. */
  render(name: string, template: Expression): PlannedField {
    const missing = [...new Set(template.references.filter((part) => !this.#knows(part)).map(nameOf))];
    if (missing.length > 0) {
      return { name, text: template.source, unrendered: `needs ${missing.join(', ')}` };
    }
    try {
      return { name, text: String(template.evaluate(this)) };
    } catch (error) {
      return { name, text: template.source, unrendered: messageChain(error) };
    }
  }

  #knows({ root }: Reference): boolean {
    return root === 'inputs' || (root === 'value' && this.knowsValue);
  }
}

/** A reference as templates write it. */
function nameOf({ root, path }: Reference): string {
  return [root === 'value' ? 'input' : root, ...path].join('.');
}
