import type { TemplateObject, TemplateValue } from './operations.js';

/** What `loop` is in the body of a `for`. */
export function loopVariable(items: readonly TemplateValue[], index: number): TemplateObject {
  const loop: TemplateObject = {
    index: index + 1,
    index0: index,
    revindex: items.length - index,
    revindex0: items.length - index - 1,
    first: index === 0,
    last: index === items.length - 1,
    length: items.length,
    cycle: (call) => call.positional[index % Math.max(1, call.positional.length)] ?? null,
  };
  if (index > 0) loop.previtem = items[index - 1]!;
  if (index < items.length - 1) loop.nextitem = items[index + 1]!;
  return loop;
}
