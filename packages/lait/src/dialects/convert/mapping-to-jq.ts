import type { MappingEntry, MappingSource } from '../../expressions/mapping.js';
import { splitPath } from '../../expressions/path.js';
import type { Placeholder } from '../../expressions/placeholder-template.js';

/** How a recorded step is read in jq, by its id; undefined when it cannot be. */
export type StepReader = (id: string) => string | undefined;

/** What one key of a mapping is in jq, or why it is nothing. */
export type JqOrReason = { jq: string } | { reason: string };

/** In a template nothing and null are an empty text; in jq null would be the word. */
export const emptyWhenNull = 'if . == null then "" else . end';

/** A mapping as one object construction in jq. */
export function mappingToJq(
  entries: readonly MappingEntry[],
  readStep: StepReader,
): { jq: string; reasons: { key: string; reason: string }[] } {
  const reasons: { key: string; reason: string }[] = [];
  const members: string[] = [];
  for (const { key, source } of entries) {
    const member = sourceToJq(source, readStep);
    if ('reason' in member) reasons.push({ key, reason: member.reason });
    else members.push(`${JSON.stringify(key)}: ${member.jq}`);
  }
  return { jq: members.length === 0 ? '{}' : `{ ${members.join(', ')} }`, reasons };
}

function sourceToJq(source: MappingSource, readStep: StepReader): JqOrReason {
  switch (source.type) {
    case 'value':
      return { jq: JSON.stringify(source.value) };
    case 'initData':
      return { jq: pathOf('$inputs', splitPath(source.path)) };
    case 'requestContext':
      return { reason: 'there is no request context in the steps form' };
    case 'step': {
      if (source.ids.length > 1) return { reason: 'the first result of several steps cannot be asked for' };
      return stepPath(source.ids[0]!, splitPath(source.path), readStep);
    }
    case 'template': {
      let text = '"';
      for (const part of source.template.parts) {
        if (typeof part === 'string') text += JSON.stringify(part).slice(1, -1);
        else {
          const value = placeholderToJq(part, readStep);
          if ('reason' in value) return value;
          text += `\\(${value.jq} | ${emptyWhenNull})`;
        }
      }
      return { jq: `${text}"` };
    }
  }
}

function placeholderToJq({ root, segments, key, text }: Placeholder, readStep: StepReader): JqOrReason {
  switch (root) {
    case 'inputData':
      return { jq: pathOf('.', segments) };
    case 'initData':
      return { jq: pathOf('$inputs', segments) };
    case 'stepResults':
      return stepPath(key!, segments, readStep);
    default:
      return { reason: `${text} has no counterpart in the steps form` };
  }
}

function stepPath(id: string, segments: readonly string[], readStep: StepReader): JqOrReason {
  const base = readStep(id);
  return base === undefined
    ? { reason: `step '${id}' has no result in the steps form` }
    : { jq: pathOf(base, segments) };
}

/** `.a["b c"]` behind a base. */
export function pathOf(base: string, segments: readonly string[]): string {
  let path = base === '.' && segments.length > 0 ? '' : base;
  for (const [index, segment] of segments.entries()) {
    if (/^[A-Za-z_][A-Za-z0-9_]*$/.test(segment)) path += `.${segment}`;
    else if (/^\d+$/.test(segment)) path += `${path === '' ? '.' : ''}[${segment}]`;
    else path += `${path === '' && index === 0 ? '.' : ''}[${JSON.stringify(segment)}]`;
  }
  return path;
}
