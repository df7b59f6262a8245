import { agentKind } from './agent.js';
import { agentCallKind } from './agent-call.js';
import { askKind } from './ask.js';
import { capabilityKind } from './capability.js';
import { chatKind } from './chat.js';
import { classifierKind } from './classifier.js';
import { conditionalKind } from './conditional.js';
import { decideKind } from './decide.js';
import { forEachKind } from './for-each.js';
import { foreachKind } from './foreach.js';
import { graphAgentKind } from './graph-agent.js';
import { groupKind } from './group.js';
import { jqKind } from './jq.js';
import type { Kind, Kinds } from './kind.js';
import { llmKind } from './llm.js';
import { untilKind, whileKind } from './loop.js';
import { loopContinuationKind, loopResultKind } from './loop-result.js';
import { mappingKind } from './mapping.js';
import { parallelKind } from './parallel.js';
import { promptKind } from './prompt.js';
import { repeatKind } from './repeat.js';
import { runKind } from './run.js';
import { sleepKind } from './sleep.js';
import { stateLoopKind } from './state-loop.js';
import { breakKind, stopKind } from './stop.js';
import { switchKind } from './switch.js';
import { terminalKind } from './terminal.js';
import { textTemplateKind } from './text-template.js';
import { toolKind } from './tool.js';
import { toolCallKind } from './tool-call.js';
import { workflowKind } from './workflow.js';
import { workflowCallKind } from './workflow-call.js';
import { writeKind } from './write.js';

/**
 * Every kind there is, by name, in the order in which documentation and schemas list them. A new kind is added here
 * only. What stands in functions is loaded when it is first needed.
 */
const byName = new Map<string, () => Kind<never>>([
  ['prompt', () => promptKind],
  ['agent', () => agentKind],
  ['run', () => runKind],
  ['decide', () => decideKind],
  ['jq', () => jqKind],
  ['ask', () => askKind],
  ['write', () => writeKind],
  ['workflow', () => workflowKind],
  ['group', () => groupKind],
  ['switch', () => switchKind],
  ['parallel', () => parallelKind],
  ['for_each', () => forEachKind],
  ['while', () => whileKind],
  ['until', () => untilKind],
  ['stop', () => stopKind],
  ['break', () => breakKind],
  ['agent_call', () => agentCallKind],
  ['tool', () => toolKind],
  ['classifier', () => classifierKind],
  ['mapping', () => mappingKind],
  ['workflow_call', () => workflowCallKind],
  ['conditional', () => conditionalKind],
  ['foreach', () => foreachKind],
  ['repeat', () => repeatKind],
  ['sleep', () => sleepKind],
  ['capability', () => capabilityKind],
  ['graph_agent', () => graphAgentKind],
  ['llm', () => llmKind],
  ['text_template', () => textTemplateKind],
  ['state_loop', () => stateLoopKind],
  ['loop_result', () => loopResultKind],
  ['loop_continuation', () => loopContinuationKind],
  ['terminal', () => terminalKind],
  ['tool_call', () => toolCallKind],
  ['chat', () => chatKind],
]) as ReadonlyMap<string, () => Kind>;

export const kinds: Kinds = {
  get: (name) => byName.get(name)?.(),
  values: () => [...byName.values()].map((kind) => kind()),
};
