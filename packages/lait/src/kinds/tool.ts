import { StepError } from '../errors/errors.js';
import { isLaitError } from '../errors/lait-error.js';
import { describeProblems, type ValueProblem } from '../schema/strip.js';
import { copyProgramValue } from '../values/program-value.js';
import { jsonText } from '../values/text.js';
import { isObject, type JsonObject, setOwnProperty, type Value } from '../values/value.js';
import { requireAttempts } from './attempts-allowed.js';
import { DirectToolCall } from './direct-tool-call.js';
import { completed, type Kind, type StepContext } from './kind.js';
import type { RegisteredTool } from './services.js';
import { toolPartsOf } from './tool-parts.js';

interface ToolFields {
  toolId: string;
  /** Honours every keyword of the tool's schemas, and fails when a result breaks them. */
  strict: boolean;
}

/** `tool` of the dynamic form: a registered tool on the step's input. Source: dynamic seed, Tool ステップ. */
export const toolKind: Kind<ToolFields> = {
  name: 'tool',
  shape: 'action',
  description: 'Calls a registered tool with the input; its result is the value.',
  effects: 'attention',
  async execute({ toolId, strict }, context) {
    requireAttempts(context);
    const tool = context.services.tools.registered(toolId);
    if (tool === undefined) {
      throw new StepError({ code: 'tool_unknown', message: `Tool with name ${toolId} not found` });
    }
    const parts = toolPartsOf(tool, strict);
    const parsing = parts.parseInput(context.input);
    const parsed = parsing instanceof Promise ? await parsing : parsing;
    if (!parsed.ok) throw invalidStepInput(parsed.problems);
    const value = await context.effect(
      async (effect) => {
        const call = new DirectToolCall(effect, context);
        const output = await runTool(() => parts.run(parsed.value, call), call);
        if (call.suspension !== undefined) {
          const { payload } = call.suspension;
          return { suspended: { type: 'resume', text: `tool '${toolId}' waits to be resumed`, payload } };
        }
        const checking = parts.parseOutput(output);
        const checked = checking instanceof Promise ? await checking : checking;
        return {
          value: checked.ok ? checked.value : wrongOutput(tool, output, checked.problems, strict, context),
          state: call.stateAfter,
        };
      },
      { interrupted: tool.idempotent === true ? 'rerun' : 'attention' },
    );
    return completed(value);
  },
};

/** What came into a step does not fit what the step takes. Source: dynamic facts §4, input handling. */
export function invalidStepInput(problems: readonly ValueProblem[]): StepError {
  return new StepError({
    code: 'step_input_invalid',
    message: `Step input validation failed: \n${describeProblems(problems)}`,
  });
}

/** Runs the tool's code; whatever it throws becomes a failure with that message. */
async function runTool(run: () => unknown, call: DirectToolCall): Promise<Value> {
  try {
    return copyProgramValue(await run());
  } catch (thrown) {
    if (call.suspension !== undefined) return undefined;
    call.signal.throwIfAborted();
    if (isLaitError(thrown)) throw thrown;
    throw new StepError({
      code: 'tool_failed',
      message: messageOf(thrown),
      ...(thrown instanceof Error && thrown.name !== 'Error' ? { details: { name: thrown.name } } : {}),
      cause: thrown,
    });
  }
}

function messageOf(thrown: unknown): string {
  if (typeof thrown === 'string') return thrown;
  const message =
    typeof thrown === 'object' && thrown !== null ? (thrown as { message?: unknown }).message : undefined;
  if (typeof message === 'string') return message;
  return thrown === undefined || thrown === null ? 'Unknown step execution error' : String(thrown);
}

const shownCharacters = 200;

/**
 * A result that breaks the tool's own schema does not fail the step: its value says so. Source: dynamic facts §4,
 * tool. Under strict schemas it fails.
 */
function wrongOutput(
  tool: RegisteredTool,
  output: Value,
  problems: readonly ValueProblem[],
  strict: boolean,
  context: StepContext,
): JsonObject {
  const name = tool.ownId ?? tool.id;
  const lines = describeProblems(
    problems.map(({ path, message }) => ({ path: path.length === 0 ? ['root'] : path, message })),
  );
  const text = output === undefined ? '[Unable to serialize data]' : jsonText(output, 2);
  const shown = text.length > shownCharacters ? `${text.slice(0, shownCharacters)}... (truncated)` : text;
  const message = `Tool output validation failed for ${name}. The tool returned invalid output:\n${lines}\n\nReturned output: ${shown}`;
  if (strict) throw new StepError({ code: 'tool_output_invalid', message });
  context.warn(`the result of tool '${name}' breaks its output schema: ${lines.replaceAll('\n', '; ')}`);
  return { error: true, message, validationErrors: errorTree(problems) };
}

/** Messages by place: `errors` of the value itself, `fields` of its members. */
function errorTree(problems: readonly ValueProblem[]): JsonObject {
  const root: JsonObject = { errors: [], fields: {} };
  for (const { path, message } of problems) {
    let node = root;
    for (const key of path) {
      const fields = node.fields as JsonObject;
      const name = String(key);
      if (!Object.hasOwn(fields, name)) setOwnProperty(fields, name, { errors: [], fields: {} });
      const next = fields[name];
      if (isObject(next)) node = next;
    }
    (node.errors as string[]).push(message);
  }
  return root;
}
