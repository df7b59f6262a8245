import { StepError } from '../errors/errors.js';
import type { ToolSelection } from '../plan/settings.js';
import { completed, type Kind, type StepContext } from './kind.js';
import type { ModelTool, ToolResult } from './services.js';
import { runSubagent } from './subagent.js';
import { type ToolCallRequest, toolCallKindName } from './tool-call-block.js';

/**
 * `tool_call`: one call that a model asked for, run as a branch of the step whose model asked. Its input is a
 * `ToolCallRequest`, its value a `ToolResult`.
 */
export const toolCallKind: Kind<Record<string, never>> = {
  name: toolCallKindName,
  shape: 'action',
  description: 'A tool call that a model asked for.',
  inner: true,
  effects: 'rerun',
  async execute(_, context) {
    const request = context.input as unknown as ToolCallRequest;
    const { tool: name, callId, round, decision } = request;
    const about = { address: context.address, label: context.node.label, tool: name, callId, round };
    const startedAt = Date.now();
    if (context.listening) context.emit({ type: 'tool.called', ...about, arguments: request.arguments });
    const result = await runCall(request, context);
    if (context.listening) {
      context.emit({
        type: 'tool.completed',
        ...about,
        decision,
        isError: result.isError,
        result: result.text,
        startedAt,
        endedAt: Date.now(),
      });
    }
    return completed({ text: result.text, isError: result.isError });
  },
};

async function runCall(request: ToolCallRequest, context: StepContext): Promise<ToolResult> {
  const { tool: name, decision, selection } = request;
  if (decision === 'denied') return told(`tool_policy does not allow ${name}; the call was not made`);
  if (decision === 'rejected') return told(`the user did not approve this call of ${name}; it was not made`);
  const tool = await findTool(name, selection, context);
  if (tool.subagent !== undefined) {
    return runSubagent(tool.subagent, request.arguments, request.agents, context);
  }
  const value = await context.effect(
    async ({ signal, idempotencyKey }) => {
      const result = await tool.call(request.arguments, {
        signal,
        idempotencyKey,
        runId: context.runId,
        requestContext: context.scope.context,
        emit: (event) => context.emit(event),
      });
      return { value: { text: result.text, isError: result.isError } };
    },
    { name: 'call' },
  );
  return value as unknown as ToolResult;
}

async function findTool(name: string, selection: ToolSelection, context: StepContext): Promise<ModelTool> {
  const { tools } = await context.services.tools.open(selection, { signal: context.cancel.signal });
  const tool = tools.find(({ definition }) => definition.function.name === name);
  if (tool === undefined) {
    throw new StepError({ code: 'tool_gone', message: `the tool ${name} is no longer offered` });
  }
  return tool;
}

function told(text: string): ToolResult {
  return { text, isError: true };
}
