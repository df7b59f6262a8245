import { StepError } from '../errors/errors.js';
import { isLaitError } from '../errors/lait-error.js';
import type { AgentPlan } from '../plan/agent.js';
import { compileDefinitionSchema } from '../schema/strip.js';
import { textOf } from '../values/text.js';
import type { JsonObject, Value } from '../values/value.js';
import { runAgent } from './agent-conversation.js';
import { requireAttempts } from './attempts-allowed.js';
import { completed, type Kind, type StepContext } from './kind.js';
import { invalidStepInput } from './tool.js';

interface AgentCallFields {
  agentId: string;
  /** Asks for a structured answer, which becomes the value. */
  outputSchema?: JsonObject;
  strict: boolean;
}

const takesPrompt = compileDefinitionSchema({
  type: 'object',
  properties: { prompt: { type: 'string' } },
  required: ['prompt'],
});

/** `agent` of the dynamic form: a registered agent on `{ prompt }`. Source: dynamic seed, Agent ステップ. */
export const agentCallKind: Kind<AgentCallFields> = {
  name: 'agent_call',
  shape: 'action',
  description: 'Asks a registered agent; the value is { text }, or the structured answer.',
  callsModel: true,
  effects: 'rerun',
  async execute(fields, context) {
    requireAttempts(context);
    const parsed = takesPrompt(context.input);
    if (!parsed.ok) throw invalidStepInput(parsed.problems);
    const { prompt } = parsed.value as { prompt: string };
    const agent = await findAgent(fields.agentId, context);
    const { outputSchema: schema, schemaName: _, ...asked } = agent;
    if (fields.outputSchema === undefined) {
      return completed({ text: textOf(await runAgent({ agent: asked, input: prompt }, context)) });
    }
    return completed(await structured(asked, prompt, fields, fields.outputSchema, context));
  },
};

/** The structured answer without what its schema does not declare; none, or one that does not fit, fails. */
async function structured(
  agent: AgentPlan,
  prompt: string,
  { agentId, strict }: AgentCallFields,
  schema: JsonObject,
  context: StepContext,
): Promise<Value> {
  const failure = (cause?: unknown) =>
    new StepError({
      code: 'agent_without_object',
      message: `Agent step '${agentId}' declared structuredOutput.schema but the agent finished without producing an object`,
      cause,
    });
  let value: Value;
  try {
    value = await runAgent({ agent: { ...agent, outputSchema: { body: schema } }, input: prompt }, context);
  } catch (error) {
    if (isLaitError(error) && error.code.startsWith('structured_output_')) throw failure(error);
    throw error;
  }
  const stripped = compileDefinitionSchema(schema, { strict })(value);
  if (!stripped.ok)
    throw failure(
      new StepError({ code: 'structured_output_invalid', message: 'the answer breaks its schema' }),
    );
  return stripped.value;
}

/** By the name it is registered under, else by the name it gives itself. */
async function findAgent(name: string, { services, cancel }: StepContext): Promise<AgentPlan> {
  const { signal } = cancel;
  const registered = await services.agents.registered(name, { signal });
  if (registered !== undefined) return registered;
  for (const key of services.agents.registeredNames()) {
    const agent = await services.agents.registered(key, { signal });
    if (agent?.name === name) return agent;
  }
  throw new StepError({ code: 'agent_unknown', message: `there is no agent '${name}'` });
}
