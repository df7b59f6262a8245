import type { TemplateObject, TemplateValue } from './operations.js';

/** The names that one part of a template can see, over those around it. */
export class Frame {
  /** Made with the first name: most parts set none. */
  #names: Map<string, TemplateValue> | undefined;

  /** `given`: values that are seen in it from its beginning. */
  constructor(
    readonly parent?: Frame,
    private readonly given?: TemplateObject,
  ) {}

  set(name: string, value: TemplateValue): void {
    this.#names ??= new Map();
    this.#names.set(name, value);
  }

  find(name: string): TemplateValue | undefined {
    for (let frame: Frame | undefined = this; frame !== undefined; frame = frame.parent) {
      const value = frame.#own(name);
      if (value !== undefined) return value;
    }
    return undefined;
  }

  #own(name: string): TemplateValue | undefined {
    const value = this.#names?.get(name);
    if (value !== undefined) return value;
    return this.given !== undefined && Object.hasOwn(this.given, name) ? this.given[name] : undefined;
  }
}
