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
import type { Kind } from './kind.js';
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

/** Every kind there is, in the order in which documentation and schemas list them. A new kind is added here only. */
const list = [
  promptKind,
  agentKind,
  runKind,
  decideKind,
  jqKind,
  askKind,
  writeKind,
  workflowKind,
  groupKind,
  switchKind,
  parallelKind,
  forEachKind,
  whileKind,
  untilKind,
  stopKind,
  breakKind,
  agentCallKind,
  toolKind,
  classifierKind,
  mappingKind,
  workflowCallKind,
  conditionalKind,
  foreachKind,
  repeatKind,
  sleepKind,
  capabilityKind,
  graphAgentKind,
  llmKind,
  textTemplateKind,
  stateLoopKind,
  loopResultKind,
  loopContinuationKind,
  terminalKind,
  toolCallKind,
  chatKind,
] as readonly Kind<never>[] as readonly Kind[];

/** The kinds by name. */
export const kinds: ReadonlyMap<string, Kind> = new Map(list.map((kind) => [kind.name, kind]));
