import { ModelError, StepError } from '../errors/errors.js';
import { promptsSchema, repairMessages } from '../models/prompted-schema.js';
import { readStructuredOutput } from '../models/structured-output.js';
import type { ModelEntry, ModelSettings, ToolSelection } from '../plan/settings.js';
import { canonicalJson } from '../values/canonical-json.js';
import type { JsonValue } from '../values/value.js';
import { compactHistory } from './compaction.js';
import type { ConversationLog, StepContext } from './kind.js';
import { callModel } from './model-call.js';
import type { OutputFormat } from './schema-values.js';
import type { ChatMessage, ModelReply, ResolvedModel, Toolset } from './services.js';
import { ToolRounds } from './tool-rounds.js';

/** Exchanges of tool calls and results when nothing else is set. Source: facts §12. */
const defaultToolRounds = 8;

export interface ConversationOptions {
  settings: ModelSettings;
  selection: ToolSelection;
  /** Model aliases that win over the configuration's. */
  aliases?: Readonly<Record<string, readonly ModelEntry[]>>;
  /** The system prompt, rendered. */
  system?: string;
  /** Earlier messages, if any, and the user's message. */
  messages: readonly ChatMessage[];
  /** Asks for a structured reply. */
  output?: OutputFormat;
  /** The subagents that are at work above, outermost first. */
  agents?: readonly string[];
}

export interface ConversationResult {
  /** The text of the last reply, or the parsed structured reply. */
  value: JsonValue;
  /** The text as the model wrote it. */
  text: string;
  /** Everything that was said, the system prompt left out. */
  messages: readonly ChatMessage[];
}

/**
 * Talks with a model until it answers: each reply that asks for tools is followed by their results. With an output
 * format and tools, the answer comes from one more request with the format and without tools. Where the format can only
 * be asked for in words, an answer that does not fit is asked for once more. Every request is an
 * effect of the step and every batch of tool calls a fork, so an interrupted conversation goes on where it stopped.
 * Throws what the services throw, and `tool_rounds_exhausted` (with the transcript) when the model wants more than
 * `max_tool_rounds` exchanges; a later run that is given what was kept goes on there. Used by prompt and agent steps,
 * subagents, `agent run` and chat. Source: facts §12.
 */
export async function runConversation(
  options: ConversationOptions,
  context: StepContext,
): Promise<ConversationResult> {
  const model = context.services.models.resolve(options.settings, options.aliases);
  const toolset = await openTools(options.selection, context);
  const system = systemMessages(options.system, toolset.systemSuffix);
  const stopped = stoppedConversation(options.messages, context);
  const history: ChatMessage[] = [...(stopped?.messages ?? options.messages)];
  const { output } = options;
  const offersTools = toolset.tools.length > 0;
  const ask = (name: string, round: number, tools: boolean) =>
    callModel(
      {
        model,
        messages: [...system, ...history],
        ...(tools ? { tools: rounds.definitions } : {}),
        ...(output !== undefined && !tools ? { responseFormat: output } : {}),
      },
      { name, round },
      context,
    );

  const { selection, agents = [] } = options;
  const rounds = new ToolRounds(toolset.tools, selection, agents, context, stopped?.cutResults);
  const most = stopped?.maxToolRounds ?? selection.max_tool_rounds ?? defaultToolRounds;
  let reply: ModelReply;
  if (offersTools) {
    reply = await runToolRounds(ask, rounds, most, history, model, context);
    if (output !== undefined) reply = await ask('answer', rounds.done, false);
  } else reply = await ask('request', 0, false);

  const text = reply.content ?? '';
  if (output === undefined) return answered(text, text, history);
  const embedded = promptsSchema(model.candidates.map(({ entry }) => entry));
  const read = (answer: string) =>
    readStructuredOutput(answer, output.schema, { onWarning: (message) => context.warn(message), embedded });
  if (!embedded) return answered(read(text), text, history);
  try {
    return answered(read(text), text, history);
  } catch (error) {
    if (!(error instanceof ModelError)) throw error;
    context.note(`asking for a corrected answer: ${error.message}`);
    history.push(...repairMessages(text, error.message));
    const repaired = (await ask('repair', rounds.done, false)).content ?? '';
    return answered(read(repaired), repaired, history);
  }
}

function answered(value: JsonValue, text: string, history: readonly ChatMessage[]): ConversationResult {
  return { value, text, messages: [...history, { role: 'assistant', content: text }] };
}

/** Requests with tools until a reply asks for none. Adds what was called and what came of it to `history`. */
async function runToolRounds(
  ask: (name: string, round: number, tools: boolean) => Promise<ModelReply>,
  rounds: ToolRounds,
  most: number,
  history: ChatMessage[],
  model: ResolvedModel,
  context: StepContext,
): Promise<ModelReply> {
  const { compaction } = context.services.tools;
  let lastText: string | null = null;
  for (;;) {
    const reply = await ask(`request[${rounds.done + 1}]`, rounds.done, true);
    if (reply.toolCalls.length === 0) return reply;
    lastText = reply.content ?? lastText;
    if (rounds.done >= most) {
      const { cutResults } = rounds;
      context.conversationLog?.keep(stepName(context), { messages: history, cutResults });
      throw exhausted(most, lastText, history);
    }
    history.push(...(await rounds.run(reply)));
    if (compaction !== undefined && rounds.done % compaction.trigger_rounds === 0) {
      await compactHistory(history, compaction.keep_last_n, rounds.done, model, context);
    }
  }
}

/**
 * The conversation that an earlier run had to stop in this step. What it is asked must be what it was asked then: a
 * changed prompt or other inputs begin a new conversation. Source: field report FR-16.
 */
function stoppedConversation(
  asked: readonly ChatMessage[],
  context: StepContext,
): ReturnType<ConversationLog['open']> {
  const stopped = context.conversationLog?.open(stepName(context));
  if (stopped === undefined) return undefined;
  const { messages } = stopped;
  if (canonicalOf(messages.slice(0, asked.length)) !== canonicalOf(asked)) {
    context.note('what the step asks has changed since its conversation was kept: it begins again');
    return undefined;
  }
  context.note(`going on with the conversation that was kept, ${messages.length} messages`);
  return stopped;
}

function canonicalOf(messages: readonly ChatMessage[]): string {
  return canonicalJson(messages as unknown as JsonValue);
}

function stepName({ node }: StepContext): string {
  return node.id ?? node.path;
}

function openTools(selection: ToolSelection, context: StepContext): Promise<Toolset> | Toolset {
  const { mcp, subagents, tools, skills } = selection;
  const none = [mcp, subagents, tools, skills].every((names) => names === undefined || names.length === 0);
  if (none) return { tools: [], systemSuffix: '' };
  return context.services.tools.open(selection, { signal: context.cancel.signal });
}

/** Skills stand behind the step's own system prompt and a line; alone they are the prompt. Source: facts §13. */
function systemMessages(system: string | undefined, suffix: string): ChatMessage[] {
  const parts = [system, suffix].filter((part) => part !== undefined && part !== '');
  return parts.length === 0 ? [] : [{ role: 'system', content: parts.join('\n\n---\n\n') }];
}

/** Keeps what was produced. Source: field report FR-16. */
function exhausted(most: number, text: string | null, history: readonly ChatMessage[]): StepError {
  return new StepError({
    code: 'tool_rounds_exhausted',
    message: `the model still asks for tools after ${most} exchanges (max_tool_rounds: ${most})`,
    details: { max_tool_rounds: most, text, transcript: history as unknown as JsonValue },
  });
}
