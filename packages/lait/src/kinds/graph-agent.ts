import { createHash } from 'node:crypto';
import type { AgentPlan } from '../plan/agent.js';
import { canonicalJson } from '../values/canonical-json.js';
import { textOf } from '../values/text.js';
import type { JsonObject, JsonValue } from '../values/value.js';
import { runAgent } from './agent-conversation.js';
import { interruptionQuestion } from './interruption.js';
import { jsonRequest, readJsonAnswer } from './json-answer.js';
import { completed, type Kind, type StepContext } from './kind.js';
import { namedInputs } from './named-inputs.js';
import { recordedOutput } from './recorded-output.js';

export interface GraphAgentFields {
  agent_id: string;
  output_schema: JsonObject;
}

/**
 * The agent node of the graph form: a registered agent with its newest settings, which are fingerprinted when it
 * starts; its answer must be one JSON object that fits. Source: graph seed, agent Node; facts §2.2.
 */
export const graphAgentKind: Kind<GraphAgentFields> = {
  name: 'graph_agent',
  shape: 'action',
  description: 'Asks a registered agent; the value is the JSON object that it answers with.',
  callsModel: true,
  effects: 'rerun',
  needsApproval: () => true,
  async execute({ agent_id, output_schema }, context) {
    const output = await recordedOutput(context, async () => {
      const agent = await findAgent(agent_id, context);
      const { outputSchema: _, schemaName: __, ...asked } = agent;
      const prompt = jsonRequest(namedInputs(context.input), output_schema);
      return readJsonAnswer(textOf(await runAgent({ agent: asked, input: prompt }, context)), output_schema);
    });
    return completed(output);
  },
};

/** The agent as it is now. An agent that does not exist interrupts the run until there is one. */
async function findAgent(id: string, context: StepContext): Promise<AgentPlan> {
  let agent: AgentPlan | undefined;
  const fingerprint = await context.effect(
    async ({ signal, idempotencyKey }) => {
      agent = await context.services.agents.registered(id, { signal });
      if (agent !== undefined) return { value: fingerprintOf(agent) };
      const reason = `there is no agent '${id}'; register it and resume the run`;
      return { suspended: interruptionQuestion({ reason, activation_id: idempotencyKey }) };
    },
    { name: 'settings' },
  );
  if (context.listening) {
    context.emit({
      type: 'agent.configured',
      agent: id,
      fingerprint: String(fingerprint),
      ...context.eventFields(),
    });
  }
  agent ??= await context.services.agents.registered(id, { signal: context.cancel.signal });
  if (agent !== undefined) return agent;
  const reason = `there is no agent '${id}' any more; register it and resume the run`;
  await context.ask(interruptionQuestion({ reason, activation_id: context.address }));
  return findAgent(id, context);
}

/** SHA-256 over everything that decides how an agent answers. */
function fingerprintOf(agent: AgentPlan): string {
  const { system, files, images, answer, ...settings } = agent;
  const sources = (list: AgentPlan['files']) => list?.map(({ source }) => source);
  const data = {
    ...settings,
    system: system.source,
    files: sources(files),
    images: sources(images),
    given_in_code: answer !== undefined,
  };
  const plain = JSON.parse(JSON.stringify(data)) as JsonValue;
  return createHash('sha256').update(canonicalJson(plain)).digest('hex');
}
