import { StepError } from '../errors/errors.js';
import { checkGraphValue, describeProblems } from '../schema/graph-value.js';
import { jsonText } from '../values/text.js';
import { isObject, type JsonObject, type JsonValue } from '../values/value.js';

/** What a model is told when its answer must be one JSON object. Source: graph facts §2.2. */
export function jsonRequest(inputs: JsonValue, schema: JsonObject): string {
  return [
    'Answer with exactly one JSON object that fits the schema. Write nothing before or after it.',
    `Inputs:\n${jsonText(inputs, 2)}`,
    `Schema of the answer:\n${JSON.stringify(schema, null, 2)}`,
  ].join('\n\n');
}

/**
 * The object in an answer: the whole text, else what stands between the first brace and the last. Throws a `StepError`
 * with code `answer_not_json` or `answer_invalid`. Source: graph facts §2.2.
 */
export function readJsonAnswer(text: string, schema: JsonObject): JsonObject {
  const answer = parsed(text) ?? parsed(text.slice(text.indexOf('{'), text.lastIndexOf('}') + 1));
  if (!isObject(answer)) {
    throw new StepError({
      code: 'answer_not_json',
      message: `the answer holds no JSON object: ${preview(text)}`,
    });
  }
  const problems = checkGraphValue(schema, answer);
  if (problems.length > 0) {
    throw new StepError({
      code: 'answer_invalid',
      message: `the answer does not fit the output_schema: ${describeProblems('answer', problems)}`,
    });
  }
  return answer;
}

/** Undefined for what is no JSON. An answer that is JSON as a whole is the answer, whatever stands inside it. */
function parsed(text: string): JsonValue | undefined {
  try {
    return JSON.parse(text) as JsonValue;
  } catch {
    return undefined;
  }
}

function preview(text: string): string {
  const characters = [...text.slice(0, 400)];
  return JSON.stringify(characters.length > 120 ? `${characters.slice(0, 119).join('')}…` : text);
}
