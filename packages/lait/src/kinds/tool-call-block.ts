import type { Block } from '../plan/plan.js';
import type { ToolSelection } from '../plan/settings.js';
import type { JsonObject } from '../values/value.js';
import type { StepContext } from './kind.js';

export const toolCallKindName = 'tool_call';

/** One call of a tool as data: what a branch needs to make it. */
export interface ToolCallRequest {
  tool: string;
  arguments: JsonObject;
  callId: string;
  round: number;
  decision: 'allowed' | 'denied' | 'approved' | 'rejected';
  selection: ToolSelection;
  /** The subagents that are at work above, outermost first. */
  agents: readonly string[];
}

/** The block in which one tool call of a step runs; what fails in it is named after the step. */
export function toolCallBlock({ node }: StepContext): Block {
  const { path, id, label, position } = node;
  return {
    path: `${path}.${toolCallKindName}`,
    nodes: [{ kind: toolCallKindName, path, id, label, position, fields: {} }],
  };
}
