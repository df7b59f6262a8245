import { ModelError } from '../errors/errors.js';
import { validateSubset } from '../schema/validate.js';
import { lossyIntegers } from '../values/lossy-integers.js';
import type { JsonObject, JsonValue } from '../values/value.js';
import { embeddedJson } from './prompted-schema.js';

/** Deeper values would overflow whoever walks them. */
const maxDepth = 1000;

export interface StructuredOutputOptions {
  onWarning?: (message: string) => void;
  /** Looks for the JSON among other text: the server was asked in words only. Default false. */
  embedded?: boolean;
}

/**
 * Reads a structured reply: white space and one surrounding code fence are tolerated, then it must be JSON that fits
 * the schema. Throws a `ModelError` with code `structured_output_not_json` or `structured_output_invalid` whose
 * details keep the text. Source: facts §4.
 */
export function readStructuredOutput(
  text: string,
  schema: JsonObject,
  { onWarning, embedded = false }: StructuredOutputOptions = {},
): JsonValue {
  const json = embedded ? embeddedJson(text) : withoutFence(text.trim());
  let value: JsonValue;
  try {
    if (depthOf(json) > maxDepth) throw new SyntaxError(`nested deeper than ${maxDepth}`);
    value = JSON.parse(json);
  } catch (error) {
    throw new ModelError({
      code: 'structured_output_not_json',
      message: `the reply should be JSON but is not (${(error as Error).message}): ${excerpt(text)}`,
      details: { text },
    });
  }
  const problems = validateSubset(schema, value, 'reply');
  if (problems.length > 0) {
    throw new ModelError({
      code: 'structured_output_invalid',
      message: `the reply breaks its schema: ${problems.join('; ')}`,
      details: { text, problems },
    });
  }
  const lossy = lossyIntegers(json);
  if (lossy.length > 0) {
    onWarning?.(`integers in the reply are too large to be kept exactly: ${lossy.slice(0, 5).join(', ')}`);
  }
  return value;
}

function withoutFence(text: string): string {
  const match = /^(`{3,})[^\n`]*\n([\s\S]*?)\n?\1$/.exec(text);
  return match === null ? text : match[2]!.trim();
}

/** How deep brackets nest outside of strings. */
function depthOf(json: string): number {
  let depth = 0;
  let deepest = 0;
  for (let index = 0; index < json.length; index += 1) {
    const character = json[index];
    if (character === '"') {
      index += 1;
      while (index < json.length && json[index] !== '"') index += json[index] === '\\' ? 2 : 1;
    } else if (character === '[' || character === '{') {
      depth += 1;
      if (depth > deepest) deepest = depth;
    } else if (character === ']' || character === '}') depth -= 1;
  }
  return deepest;
}

function excerpt(text: string): string {
  const line = text.replace(/\s+/g, ' ').trim();
  return line.length > 120 ? `${line.slice(0, 120)}…` : line;
}
