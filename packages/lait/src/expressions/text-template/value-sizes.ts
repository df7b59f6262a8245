import { isTemplateObject, type TemplateValue } from './operations.js';
import { TemplateError } from './template-error.js';

/** How large a value is written out: what stands in it at several places counts as often. */
export interface ValueSize {
  /** Values in it, itself included; longer texts count as several. */
  parts: number;
  /** Levels of lists and dicts. */
  depth: number;
}

/** Most parts of a value that a template builds. */
const maxParts = 4_194_304;
const maxDepth = 1000;
const charactersOfPart = 64;

/**
 * Sizes of the values of one rendering. A list that holds another one twice, which holds another one twice … is small in
 * memory and without end for whatever goes through it: such values are refused when they are built. Each list and dict
 * is looked at once.
 */
export class ValueSizes {
  /** Made with the first list or dict: most templates meet none. */
  #known: WeakMap<object, ValueSize> | undefined;

  /** `onLook` is told how many items are looked at. */
  constructor(private readonly onLook: (items: number) => void) {}

  /** Throws a `TemplateError` for a value that is too large or too deep. */
  of(value: TemplateValue, level = 0): ValueSize {
    if (typeof value === 'string') return { parts: 1 + value.length / charactersOfPart, depth: 0 };
    if (!Array.isArray(value) && !isTemplateObject(value)) return { parts: 1, depth: 0 };
    const known = this.#known?.get(value);
    if (known !== undefined) return known;
    const items = Object.values(value);
    this.onLook(items.length);
    const size = { parts: 1, depth: 1 };
    for (const item of items) {
      const { parts, depth } = this.of(item, level + 1);
      size.parts += parts;
      size.depth = Math.max(size.depth, depth + 1);
    }
    if (size.parts > maxParts) throw new TemplateError('a value grew beyond what a template may build');
    if (level + size.depth > maxDepth)
      throw new TemplateError(`a value is nested more than ${maxDepth} levels deep`);
    this.#known ??= new WeakMap();
    this.#known.set(value, size);
    return size;
  }
}
