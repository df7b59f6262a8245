import { agentType } from './agent.js';
import { capabilityType } from './capability.js';
import { llmType } from './llm.js';
import { loopType } from './loop.js';
import { loopResultType } from './loop-result.js';
import type { GraphNodeType } from './node-type.js';
import { terminalType } from './terminal.js';
import { textTemplateType } from './text-template.js';

/** Every node type there is. A new one is added here only. */
const list: readonly GraphNodeType[] = [
  capabilityType,
  agentType,
  loopType,
  loopResultType,
  terminalType,
  textTemplateType,
  llmType,
];

export const nodeTypes: ReadonlyMap<string, GraphNodeType> = new Map(list.map((type) => [type.type, type]));
