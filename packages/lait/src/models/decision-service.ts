import { ModelError } from '../errors/errors.js';
import { isLaitError } from '../errors/lait-error.js';
import { withDeadline } from '../errors/with-deadline.js';
import type { DecisionService } from '../kinds/services.js';
import { type ApiResponse, postTo } from '../network/post-to.js';
import { expandVariables } from '../values/expand-variables.js';
import type { SecretRegistry } from '../values/secrets.js';
import { jsonText, textOf } from '../values/text.js';
import { isObject, type JsonObject, type JsonValue, ownProperty, setOwnProperty } from '../values/value.js';
import { processKeyCommands } from './key-command.js';
import { modelTimeout } from './model-error.js';
import { readRefusal, wholeBody } from './reply-body.js';

/** Where decisions are asked when nothing else is configured. Source: facts §10. */
export const defaultDecisionUrl = 'https://api.typesafe.ai/v1';
const defaultModel = 'jev-latest';
const requestTimeoutSeconds = 300;

/** `jev:` of the configuration, and what it needs. */
export interface DecisionServiceOptions {
  base_url?: string;
  api_key?: string;
  api_key_cmd?: string | readonly string[];
  model?: string;
  variables: Readonly<Record<string, string | undefined>>;
  secrets: SecretRegistry;
}

/**
 * Makes the client of a Jev-compatible server. A request is sent once, never repeated, recorded or cached. Throws a
 * `ModelError` with code `decision_unreachable`, `decision_refused` (status and the server's words) or
 * `decision_reply_invalid`. Source: facts §10.
 */
export function createDecisionService(options: DecisionServiceOptions): DecisionService {
  return {
    async decide({ state, questions, model }, { signal }) {
      const url = endpoint(options);
      const key = await keyOf(options, signal);
      const body = {
        model: model ?? options.model ?? defaultModel,
        state: stateOf(state),
        questions,
      };
      const timeout = modelTimeout(requestTimeoutSeconds);
      const text = await withDeadline(requestTimeoutSeconds, signal, timeout, (limited) =>
        post(url, key, body, limited, options),
      );
      const reply = parse(text);
      return {
        answers: checkedAnswers(reply, questions, text),
        usage: ownProperty(reply, 'usage') ?? null,
        reply,
      };
    },
  };
}

function endpoint({ base_url, variables }: DecisionServiceOptions): string {
  const base = expandVariables(base_url ?? defaultDecisionUrl, variables, 'jev.base_url');
  return `${base.replace(/\/+$/, '')}/systemone`;
}

async function keyOf(options: DecisionServiceOptions, signal: AbortSignal): Promise<string | undefined> {
  const { api_key, api_key_cmd, variables, secrets } = options;
  const key =
    api_key_cmd === undefined
      ? api_key && expandVariables(api_key, variables, 'jev.api_key')
      : await processKeyCommands.key(api_key_cmd, variables, signal);
  secrets.add(key);
  return key?.trim() === '' ? undefined : key;
}

/** Text, objects and lists as they are, nothing as empty text, other scalars as text. */
function stateOf(state: JsonValue): JsonValue {
  if (state === null) return '';
  return typeof state === 'string' || typeof state === 'object' ? state : textOf(state);
}

async function post(
  url: string,
  key: string | undefined,
  body: JsonObject,
  signal: AbortSignal,
  { secrets, variables }: DecisionServiceOptions,
): Promise<string> {
  let response: ApiResponse;
  try {
    response = await postTo(
      new URL(url),
      variables,
    )({
      headers: {
        'content-type': 'application/json',
        ...(key === undefined ? {} : { authorization: `Bearer ${key}` }),
      },
      body: jsonText(body),
      signal,
    });
    if (response.ok) return await wholeBody(response);
  } catch (error) {
    if (isLaitError(error)) throw error;
    const { cause, message } = error as { cause?: { message?: string }; message: string };
    throw failure('decision_unreachable', secrets.mask(`cannot reach ${url}: ${cause?.message ?? message}`));
  }
  const { message, body: text } = await readRefusal(response);
  throw failure('decision_refused', secrets.mask(`${url} answered ${response.status}: ${message}`), {
    status: response.status,
    text: secrets.mask(text),
  });
}

function parse(text: string): JsonObject {
  let reply: JsonValue | undefined;
  try {
    reply = JSON.parse(text);
  } catch {
    reply = undefined;
  }
  if (isObject(reply)) return reply;
  throw failure('decision_reply_invalid', 'the decision server answered something that is no JSON object', {
    text,
  });
}

/** One answer for each question, of the type that was asked, in the order of the questions. */
function checkedAnswers(reply: JsonObject, questions: JsonObject, text: string): JsonObject {
  const answers = ownProperty(reply, 'answers');
  const problems: string[] = [];
  const ordered: JsonObject = {};
  if (!isObject(answers)) problems.push('it holds no answers');
  else {
    for (const name of Object.keys(questions)) {
      const answer = ownProperty(answers, name);
      const problem = problemOf(answer, questions[name]!);
      if (problem === undefined) setOwnProperty(ordered, name, answer);
      else problems.push(`question '${name}' ${problem}`);
    }
    for (const name of Object.keys(answers)) {
      if (!Object.hasOwn(questions, name)) problems.push(`'${name}' was not asked`);
    }
  }
  if (problems.length === 0) return ordered;
  throw failure(
    'decision_reply_invalid',
    `the decision server's reply does not fit the questions: ${problems.join('; ')}`,
    {
      text,
    },
  );
}

function problemOf(answer: JsonValue | undefined, question: JsonValue): string | undefined {
  const type = isObject(question) ? String(question.type) : '';
  if (answer === undefined) return 'has no answer';
  if (!isObject(answer)) return 'has an answer that is no object';
  const given = ownProperty(answer, 'type');
  if (given !== type) return `asks for ${type} and was answered with ${JSON.stringify(given ?? null)}`;
  const value = ownProperty(answer, type);
  const fits = type === 'choice' ? typeof value === 'string' : typeof value === 'number';
  return fits ? undefined : `has an answer without ${type === 'choice' ? 'a text' : 'a number'} in '${type}'`;
}

function failure(code: string, message: string, details: Record<string, JsonValue> = {}): ModelError {
  return new ModelError({ code, message, details });
}
