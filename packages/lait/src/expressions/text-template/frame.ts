import type { TemplateValue } from './operations.js';

/** The names that one part of a template can see, over those around it. */
export class Frame {
  /** Made with the first name: most parts set none. */
  #names: Map<string, TemplateValue> | undefined;

  constructor(readonly parent?: Frame) {}

  set(name: string, value: TemplateValue): void {
    this.#names ??= new Map();
    this.#names.set(name, value);
  }

  find(name: string): TemplateValue | undefined {
    for (let frame: Frame | undefined = this; frame !== undefined; frame = frame.parent) {
      const value = frame.#names?.get(name);
      if (value !== undefined) return value;
    }
    return undefined;
  }
}
