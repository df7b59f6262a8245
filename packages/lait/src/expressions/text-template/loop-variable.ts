import { canonicalJson } from '../../values/canonical-json.js';
import { type TemplateObject, type TemplateValue, toJson } from './operations.js';

/** What `loop.changed` was last asked about, for all rounds of one loop. */
export interface LoopMemory {
  last?: string;
}

/** What `loop` is in the body of a `for`. */
export function loopVariable(
  items: readonly TemplateValue[],
  index: number,
  memory: LoopMemory,
): TemplateObject {
  const loop: TemplateObject = {
    index: index + 1,
    index0: index,
    revindex: items.length - index,
    revindex0: items.length - index - 1,
    first: index === 0,
    last: index === items.length - 1,
    length: items.length,
    cycle: (call) => call.positional[index % Math.max(1, call.positional.length)] ?? null,
    changed: (call) => {
      const before = memory.last;
      memory.last = canonicalJson(toJson(call.positional));
      return memory.last !== before;
    },
  };
  if (index > 0) loop.previtem = items[index - 1]!;
  if (index < items.length - 1) loop.nextitem = items[index + 1]!;
  return loop;
}
