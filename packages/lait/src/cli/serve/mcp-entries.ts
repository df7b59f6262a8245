import type { LaitServices } from '../../config/build-services.js';
import type { Configuration } from '../../config/configuration.js';
import { planOfFile } from '../../config/load-plan.js';
import { readAgentFile } from '../../dialects/steps/read-agent-file.js';
import type { RunEvent } from '../../engine/events.js';
import type { Answerer } from '../../engine/runtimes/memory.js';
import { messageChain } from '../../errors/lait-error.js';
import type { ChatFields } from '../../kinds/chat.js';
import { kinds } from '../../kinds/index.js';
import { allNodes } from '../../plan/all-nodes.js';
import type { InputDeclarations } from '../../plan/inputs.js';
import type { Plan, PlanCall } from '../../plan/plan.js';
import { singleStepPlan } from '../../plan/single-step-plan.js';
import { runPlan } from '../../run-plan.js';
import { loadSchema } from '../../schema/load-schema.js';
import {
  agentParameters,
  type McpCallContext,
  type McpCallResult,
  type McpToolEntry,
  workflowParameters,
} from '../../server/mcp/entry.js';
import { toolName } from '../../tools/tool-names.js';
import type { SecretRegistry } from '../../values/secrets.js';
import { textOf } from '../../values/text.js';
import { isObject, type JsonObject, type Value } from '../../values/value.js';

export interface McpEntriesOptions {
  configuration: Configuration;
  services: LaitServices;
  secrets: SecretRegistry;
  signal: AbortSignal;
  onNote: (message: string) => void;
}

/**
 * The agents and workflows of a configuration as MCP tools. Entries that cannot be read, and workflows that ask a
 * person, are left out with a note. Source: facts §21.
 */
export async function mcpEntries(options: McpEntriesOptions): Promise<McpToolEntry[]> {
  const { values } = options.configuration;
  const entries: McpToolEntry[] = [];
  for (const [section, make] of [
    ['agents', agentEntry],
    ['workflows', workflowEntry],
  ] as const) {
    for (const [name, path] of Object.entries(values[section] ?? {})) {
      try {
        const entry = await make(name, path, options);
        if (entry !== undefined) entries.push(entry);
      } catch (error) {
        options.signal.throwIfAborted();
        options.onNote(`${section}: '${name}' is left out: ${messageChain(error)}`);
      }
    }
  }
  return entries;
}

async function agentEntry(name: string, path: string, options: McpEntriesOptions): Promise<McpToolEntry> {
  const { signal } = options;
  const agent = await readAgentFile(path, { signal });
  const schema = agent.inputSchema && (await loadSchema(agent.inputSchema, { signal }));
  const { schema: inputSchema, toInput } = agentParameters(schema);
  return {
    name: toolName('agent', name),
    ...(agent.description === undefined ? {} : { description: agent.description }),
    inputSchema,
    async call(arguments_, context) {
      const input = toInput(arguments_);
      const fields: ChatFields = { history: [], agent, agentInput: input };
      const plan = singleStepPlan('chat', fields, { id: name });
      const answer = await run(plan, { value: textOf(input) }, options, context);
      return resultOf((answer as { value: Value }).value);
    },
  };
}

async function workflowEntry(
  name: string,
  path: string,
  options: McpEntriesOptions,
): Promise<McpToolEntry | undefined> {
  const { signal, onNote } = options;
  const plan = await planOfFile(path, { name, signal });
  const asking = [...allNodes(plan.body.nodes, kinds)].find((node) => kinds.get(node.kind)?.waits === true);
  if (asking !== undefined) {
    onNote(
      `workflows: '${name}' is left out: ${asking.path} waits for a person, and nobody can be asked here`,
    );
    return undefined;
  }
  return {
    name: toolName('workflow', name),
    ...(plan.description === undefined ? {} : { description: plan.description }),
    inputSchema: workflowParameters(declaredSchemas(plan.inputs)),
    async call({ input, inputs }, context) {
      const call: PlanCall = {
        ...(input === undefined ? {} : { value: input }),
        ...(inputs === undefined ? {} : { inputs }),
      };
      return resultOf(await run(plan, call, options, context));
    },
  };
}

function declaredSchemas(inputs: InputDeclarations = {}): Record<string, JsonObject> {
  return Object.fromEntries(Object.entries(inputs).map(([name, { schema }]) => [name, schema]));
}

async function run(
  plan: Plan,
  call: PlanCall,
  { services, secrets }: McpEntriesOptions,
  { signal, progress }: McpCallContext,
): Promise<Value> {
  const onEvent = (event: RunEvent) => {
    if (event.type === 'step.started') progress(event.label);
  };
  // A child workflow may ask: the default is the answer when there is one.
  const answerer: Answerer = async (question) => question.default;
  const result = await runPlan(plan, call, { services: services.forRun(), signal, onEvent, answerer });
  if (result.status === 'completed') return result.value;
  if (result.status === 'parked') throw new Error('the run waits for a person, who cannot be asked here');
  throw new Error(secrets.mask(messageChain(result.error)));
}

function resultOf(value: Value): McpCallResult {
  return { text: textOf(value), ...(isObject(value) ? { structured: value } : {}) };
}
