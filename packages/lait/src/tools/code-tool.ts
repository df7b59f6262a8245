import { StepError } from '../errors/errors.js';
import type { DirectToolContext, ModelTool, RegisteredTool, ToolCallContext } from '../kinds/services.js';
import { textOf } from '../values/text.js';
import type { JsonObject } from '../values/value.js';
import { toolName } from './tool-names.js';
import { toldToModel } from './untrusted-call.js';

/** A tool given in code, as models see it: its result in the text form. */
export function codeModelTool(tool: RegisteredTool): ModelTool {
  return {
    definition: {
      type: 'function',
      function: {
        name: toolName('tool', tool.id),
        ...(tool.description !== undefined && { description: tool.description }),
        parameters: tool.inputSchema ?? { type: 'object', properties: {} },
      },
    },
    call: (arguments_, context) =>
      toldToModel(context.signal, async () => textOf(await tool.execute(arguments_, directContext(context)))),
  };
}

/** A model's call keeps no state and cannot wait for a person: nobody would carry the answer back to it. */
function directContext(context: ToolCallContext): DirectToolContext {
  let state: JsonObject = context.state ?? {};
  return {
    ...context,
    get state() {
      return state;
    },
    setState(next) {
      state = next;
    },
    suspend() {
      throw new StepError({
        code: 'tool_cannot_suspend',
        message: 'the tool wants to wait for an answer, which a call by a model cannot do',
      });
    },
  };
}
