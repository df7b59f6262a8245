import { StepError } from '../errors/errors.js';
import type { Capability, ToolService } from '../kinds/services.js';
import type { JsonValue, Value } from '../values/value.js';

/**
 * A capability that calls a registered tool: a shell tool, one given in code, or a tool of an MCP server. The schemas
 * of the tool count where the entry declares none.
 */
export function toolCapability(
  described: Omit<Capability, 'execute'>,
  name: string,
  tools: Pick<ToolService, 'registered'>,
): Capability {
  const known = tools.registered(name);
  return {
    ...(known?.inputSchema !== undefined && { input_schema: known.inputSchema }),
    ...(known?.outputSchema !== undefined && { output_schema: known.outputSchema }),
    ...(known?.idempotent !== undefined && { idempotent: known.idempotent }),
    ...(known?.description !== undefined && { description: known.description }),
    ...described,
    async execute(inputs, context) {
      const tool = tools.registered(name);
      if (tool === undefined) {
        throw new StepError({
          code: 'tool_unknown',
          message: `capability '${described.key}' calls the tool '${name}', which is not registered`,
        });
      }
      const output: Value = await tool.execute(inputs, {
        signal: context.signal,
        idempotencyKey: context.activationId,
        runId: context.runId,
        state: {},
        setState: () => {},
        suspend: () => Promise.reject(cannotAsk(name)),
      });
      return { status: 'succeeded', output: (output ?? null) as JsonValue, effects: described.effects };
    },
  };
}

function cannotAsk(name: string): StepError {
  return new StepError({
    code: 'tool_asks',
    message: `the tool '${name}' asks a question, which a capability cannot; use a hitl_wait node`,
  });
}
