import { StepError } from '../errors/errors.js';
import { isLaitError, messageChain } from '../errors/lait-error.js';
import { loadSchema } from '../schema/load-schema.js';
import { validateSubset } from '../schema/validate.js';
import { textOf } from '../values/text.js';
import { type JsonObject, ownProperty, type Value } from '../values/value.js';
import { runAgent } from './agent-conversation.js';
import type { StepContext } from './kind.js';
import type { ToolResult } from './services.js';

/** Subagents inside subagents. Source: facts §13. */
const deepestNesting = 16;

/** Failures that no other answer of the model can mend. */
const fatal: ReadonlySet<string> = new Set([
  'subagent_cycle',
  'subagent_nesting',
  'replay_miss',
  'recording_unreadable',
]);

/**
 * A subagent's answer to one call: a conversation of its own inside the branch of the call. What goes wrong in it is
 * told to the model that called, but for cycles, too deep nesting, wrong definitions and missing recordings, which
 * fail the step. Source: facts §12 and §13.
 */
export async function runSubagent(
  name: string,
  arguments_: JsonObject,
  agents: readonly string[],
  context: StepContext,
): Promise<ToolResult> {
  checkNesting(name, agents);
  const { signal } = context.cancel;
  const agent = await context.services.agents.registered(name, { signal });
  if (agent === undefined) {
    throw new StepError({
      code: 'agent_unknown',
      category: 'definition',
      message: `there is no agent '${name}'`,
    });
  }
  let input: Value = arguments_;
  if (agent.inputSchema === undefined) {
    const given = ownProperty(arguments_, 'input');
    if (given === undefined) return { text: 'the argument `input` is missing', isError: true };
    input = textOf(given);
  } else {
    const problems = validateSubset(
      await loadSchema(agent.inputSchema, { signal }),
      arguments_,
      'the arguments',
    );
    if (problems.length > 0) return { text: problems.join('; '), isError: true };
  }
  try {
    const value = await runAgent({ agent, input, alone: true, agents: [...agents, name] }, context);
    return { text: textOf(value), isError: false };
  } catch (error) {
    context.cancel.throwIfCancelled();
    const mendable =
      isLaitError(error) &&
      !fatal.has(error.code) &&
      error.disposition !== 'cancelled' &&
      (error.category === 'model' || error.category === 'failed' || error.category === 'timeout');
    if (!mendable) throw error;
    return { text: `the agent '${name}' failed: ${messageChain(error)}`, isError: true };
  }
}

function checkNesting(name: string, agents: readonly string[]): void {
  if (agents.includes(name)) {
    const chain = [...agents, name].join(' → ');
    throw new StepError({
      code: 'subagent_cycle',
      message: `subagents call each other in a cycle: ${chain}`,
    });
  }
  if (agents.length >= deepestNesting) {
    throw new StepError({
      code: 'subagent_nesting',
      message: `subagents are nested deeper than ${deepestNesting}: ${agents.join(' → ')}`,
    });
  }
}
