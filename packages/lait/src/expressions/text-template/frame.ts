import type { TemplateValue } from './operations.js';

/** The names that one part of a template can see, over those around it. */
export class Frame {
  readonly names = new Map<string, TemplateValue>();
  constructor(readonly parent?: Frame) {}

  find(name: string): TemplateValue | undefined {
    for (let frame: Frame | undefined = this; frame !== undefined; frame = frame.parent) {
      const value = frame.names.get(name);
      if (value !== undefined) return value;
    }
    return undefined;
  }
}
