import type { DecisionSettings } from '../../config/configuration.js';
import { UsageError } from '../../errors/errors.js';
import { createDecisionService, defaultDecisionUrl } from '../../models/decision-service.js';
import type { JsonValue } from '../../values/value.js';
import type { CommandContext } from '../command-context.js';
import type { DecideOptions } from '../commands/decide.js';
import { readCommandPrompt } from '../read-prompt.js';
import { readQuestions } from './read-questions.js';

/** `lait decide`: asks a decision server once and prints the answers in question order. Source: facts §1.3 and §10. */
export async function decideCommand(
  argument: string | undefined,
  options: DecideOptions,
  context: CommandContext,
): Promise<undefined> {
  const { output, signal, secrets } = context;
  const questions = await readQuestions(options.questions, signal);
  const { values } = await context.trustedConfiguration();
  secrets.add(options.apiKey);
  const decisions = createDecisionService({
    ...serverOf(options, values.jev ?? {}, context),
    variables: await context.variables(),
    secrets,
  });
  const text = await readCommandPrompt(argument, options.stdin, context);
  if (text === undefined) {
    throw new UsageError({
      code: 'prompt_required',
      message: 'there is nothing to decide about: give STATE or standard input',
    });
  }
  const state = options.json === true ? parseState(text) : text;
  const { model } = options;
  const { answers, reply } = await decisions.decide(
    { state, questions, ...(model === undefined ? {} : { model }) },
    { signal },
  );
  await output.writeJson(options.full === true ? { ...reply, answers } : answers);
  return undefined;
}

/** The flags before the configuration. A configured key stays with the server that it was configured for. */
function serverOf(
  { baseUrl, apiKey }: DecideOptions,
  configured: DecisionSettings,
  { output }: CommandContext,
): DecisionSettings {
  const { api_key, api_key_cmd, ...settings } = configured;
  const server = { ...settings, ...(baseUrl === undefined ? {} : { base_url: baseUrl }) };
  if (apiKey !== undefined) return { ...server, api_key: apiKey };
  const elsewhere = baseUrl !== undefined && !sameOrigin(baseUrl, configured.base_url ?? defaultDecisionUrl);
  if (elsewhere && (api_key !== undefined || api_key_cmd !== undefined)) {
    output.note('the key of jev: is not sent to another server; give one with --api-key');
  }
  return elsewhere ? server : { ...server, api_key, api_key_cmd };
}

function sameOrigin(one: string, other: string): boolean {
  return URL.canParse(one) && URL.canParse(other) && new URL(one).origin === new URL(other).origin;
}

function parseState(text: string): JsonValue {
  try {
    return JSON.parse(text);
  } catch (error) {
    throw new UsageError({
      code: 'state_not_json',
      message: `--json: STATE is no JSON (${(error as Error).message})`,
    });
  }
}
