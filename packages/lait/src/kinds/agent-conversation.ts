import { readStructuredOutput } from '../models/structured-output.js';
import type { AgentPlan } from '../plan/agent.js';
import type { DefaultSettings } from '../plan/settings.js';
import { textOf } from '../values/text.js';
import type { JsonObject, Value } from '../values/value.js';
import { type AttachmentFields, userMessage } from './attachments.js';
import { type ConversationResult, runConversation } from './conversation.js';
import type { StepContext } from './kind.js';
import { fallBack } from './model-settings.js';
import { outputFormat } from './schema-values.js';

export interface AgentConversation {
  agent: AgentPlan;
  /** What `{{ input }}` is in the system prompt; its text form is the user's message. */
  input: Value;
  /** Settings of the step, which come before the agent's. */
  step?: Omit<DefaultSettings, 'system'>;
  /** True for a subagent: neither settings nor model aliases of the workflow apply. Source: facts §13. */
  alone?: boolean;
  attachments?: AttachmentFields;
  agents?: readonly string[];
}

/** Lets an agent answer: its system prompt rendered, its settings, tools and schemas, the input as user message. */
export async function runAgent(
  request: AgentConversation,
  context: StepContext,
): Promise<ConversationResult['value']> {
  const { agent, input, step, alone = false, attachments = {} } = request;
  const { models } = context.services;
  const workflow = alone ? undefined : context.settings.defaults;
  const { settings, selection } = fallBack(step, agent, workflow, models.defaults);
  const output = await outputFormat(agent.outputSchema, agent.schemaName, context.cancel.signal);
  const prompt = textOf(input);
  if (agent.answer !== undefined) return answerInCode(agent.answer, prompt, output?.schema, context);
  const system = context.evaluate(agent.system, input);
  const message = await userMessage(
    prompt,
    {
      files: attachments.files ?? agent.files,
      images: attachments.images ?? agent.images,
    },
    context,
  );
  const { value } = await runConversation(
    {
      settings,
      selection,
      ...(alone ? {} : { aliases: context.settings.models }),
      system,
      messages: [message],
      output,
      agents: request.agents,
    },
    context,
  );
  return value;
}

/** An agent given in code answers by itself; its answer is one effect. */
async function answerInCode(
  answer: NonNullable<AgentPlan['answer']>,
  prompt: string,
  outputSchema: JsonObject | undefined,
  context: StepContext,
): Promise<ConversationResult['value']> {
  const value = await context.effect(
    async ({ signal }) => {
      const { text, object } = await answer(prompt, { signal, outputSchema });
      if (outputSchema === undefined) return { value: text };
      const json = object === undefined ? text : JSON.stringify(object);
      return {
        value: readStructuredOutput(json, outputSchema, { onWarning: (message) => context.warn(message) }),
      };
    },
    { name: 'answer' },
  );
  return value ?? null;
}
