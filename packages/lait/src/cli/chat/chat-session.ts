import { randomUUID } from 'node:crypto';
import { join, resolve } from 'node:path';
import { buildServices, type LaitServices } from '../../config/build-services.js';
import type { Configuration } from '../../config/configuration.js';
import type { RunEvent } from '../../engine/events.js';
import { rootFailure } from '../../engine/failure.js';
import { isLaitError } from '../../errors/lait-error.js';
import { constant } from '../../expressions/constant.js';
import { type AttachmentFields, isImageAddress } from '../../kinds/attachments.js';
import type { ChatFields } from '../../kinds/chat.js';
import type { ChatMessage } from '../../kinds/services.js';
import { ProgressLines } from '../../observe/progress-lines.js';
import { pricingOf, UsageReport } from '../../observe/usage-report.js';
import type { AgentPlan } from '../../plan/agent.js';
import { singleStepPlan } from '../../plan/single-step-plan.js';
import { runPlan } from '../../run-plan.js';
import type { Approve } from '../../tools/tool-approval.js';
import { preview, printable } from '../../values/printable.js';
import { shownJson, textOf } from '../../values/text.js';
import type { JsonValue } from '../../values/value.js';
import type { CommandContext } from '../command-context.js';
import { exitCodeOf, exitCodes } from '../exit-codes.js';
import { remember } from '../history/remember.js';
import { requireFile } from '../require-file.js';
import type { ChatOptions } from './chat-options.js';
import { ReplyStream } from './reply-stream.js';
import { requestSettings } from './request-settings.js';
import { type Conversation, readSession, writeSession } from './session-file.js';

export interface ChatSessionOptions {
  options: ChatOptions;
  context: CommandContext;
  agent?: AgentPlan;
  approve?: Approve;
  /** Where replies are shown while they arrive; undefined for not at all. */
  stream?: (text: string) => void;
}

/** What a turn came to. */
export interface Turn {
  /** The answer: text, or the parsed structured reply. */
  value: JsonValue;
  /** What the model said it thought. */
  reasoning: string | null;
  /** What was already shown of it. */
  shown: string;
}

/** A conversation with a model or an agent, turn by turn, through the same code as the steps of workflows. */
export class ChatSession {
  readonly usage: UsageReport;
  readonly #options: ChatSessionOptions;
  readonly #services: LaitServices;
  readonly #fields: Omit<ChatFields, 'history' | 'agentInput'>;
  readonly #path: string | undefined;
  #conversation: Conversation;
  /** Whether something was answered since the session began: what the flags attach stands there once. */
  #answered = false;

  private constructor(
    options: ChatSessionOptions,
    configuration: Configuration,
    services: LaitServices,
    kept: Conversation,
  ) {
    this.usage = new UsageReport(pricingOf(configuration.values.models));
    this.#options = options;
    this.#services = services;
    this.#fields = fieldsOf(options, configuration);
    this.#path = sessionPath(options);
    this.#conversation = kept;
  }

  /**
   * Looks for the files that the flags name and reads the session file, if one is given. Nothing is started before the
   * first turn.
   */
  static async open(options: ChatSessionOptions): Promise<ChatSession> {
    const { context, approve, options: flags, stream } = options;
    const { secrets, signal, workingDirectory } = context;
    const { file = [], image = [], outputSchema = [] } = flags;
    const named = [file, image.filter((source) => !isImageAddress(source)), outputSchema].flat();
    for (const name of named) await requireFile(name, workingDirectory);
    const { configuration, override } = await requestSettings(flags, context);
    const path = sessionPath(options);
    const kept = path === undefined ? { messages: [] } : await readSession(path, signal);
    const services = buildServices({
      configuration,
      environment: { variables: await context.variables(), workingDirectory },
      secrets,
      override,
      recordDirectory: flags.record,
      replayDirectory: flags.replay,
      cache: context.options.cache,
      streaming: stream !== undefined,
      explaining: context.options.verbosity > 0,
      onServerLog: (server, line) => context.log(1, `${server}: ${line}`),
      ...(approve === undefined ? {} : { approve }),
    });
    return new ChatSession(options, configuration, services, kept);
  }

  get messages(): readonly ChatMessage[] {
    return this.#conversation.messages;
  }

  /** True when the model has the next word: the conversation can go on without a message. */
  get isOpen(): boolean {
    const last = this.messages.at(-1);
    return last !== undefined && last.role !== 'assistant';
  }

  /** Forgets what was said. */
  reset(): void {
    this.#conversation = { messages: [] };
    this.#answered = false;
  }

  /**
   * Says something, or lets an open conversation go on, and waits for the answer. The conversation is kept, also when
   * the model ran out of tool rounds. Throws what the request throws; `tool_rounds_exhausted` carries the last text.
   */
  async turn(message: string | undefined, signal: AbortSignal): Promise<Turn> {
    const startedAt = Date.now();
    try {
      const turn = await this.#turn(message, signal);
      await this.#remember(startedAt, message, textOf(turn.value), exitCodes.ok);
      return turn;
    } catch (error) {
      await this.#remember(startedAt, message, null, exitCodeOf(error));
      throw error;
    }
  }

  #remember(startedAt: number, prompt: string | undefined, answer: string | null, exit_code: number) {
    const { agent, context } = this.#options;
    const { model } = this.#fields.settings ?? {};
    return remember(
      {
        at: new Date(startedAt).toISOString(),
        command: agent === undefined ? 'chat' : 'agent',
        name: agent?.name ?? model ?? 'the default model',
        prompt: prompt ?? null,
        answer,
        exit_code,
        duration_ms: Date.now() - startedAt,
      },
      context,
    );
  }

  async #turn(message: string | undefined, signal: AbortSignal): Promise<Turn> {
    const { agent, context, stream } = this.#options;
    const { messages } = this.#conversation;
    const agentInput =
      agent === undefined ? undefined : (this.#conversation.agentInput ?? jsonOrText(message ?? ''));
    const replies = new ReplyStream(stream ?? (() => {}));
    const lines = new ProgressLines({ verbosity: context.options.verbosity });
    let reasoning: string | null = null;
    const onEvent = (event: RunEvent) => {
      this.usage.add(event);
      replies.handle(event);
      if (event.type === 'model.responded') reasoning = textOrNull(event.reply.reasoning);
      const told = toldLines(event, lines, process.stderr.isTTY === true);
      if (told.length > 0) replies.breakLine();
      for (const line of told) context.output.line(line);
    };
    const fields: ChatFields = { ...this.#fields, ...this.#attachments(), history: messages, agentInput };
    const plan = singleStepPlan('chat', fields, { id: agent?.name ?? 'chat' });
    const result = await runPlan(
      plan,
      { value: message },
      { services: this.#services.forRun(), signal, onEvent },
    );
    if (result.status === 'completed') {
      const answer = result.value as unknown as { value: JsonValue; messages: ChatMessage[] };
      this.#answered = true;
      await this.#keep({ messages: answer.messages, agentInput });
      return { value: answer.value, reasoning, shown: replies.shown };
    }
    replies.breakLine();
    if (result.status === 'parked') throw new Error('a chat cannot wait for an answer');
    // The step of the plan is nothing that the person knows of.
    const error = rootFailure(result.error);
    if (isLaitError(error) && error.code === 'tool_rounds_exhausted') {
      await this.#keepUnfinished({
        messages: error.details.transcript as unknown as ChatMessage[],
        agentInput,
      });
    }
    throw error;
  }

  close(): Promise<void> {
    return this.#services.close();
  }

  /** The flags' files go with the first message of the command, an agent's with the first of the conversation. */
  #attachments(): AttachmentFields {
    const { file, image } = this.#options.options;
    const first = !this.#answered;
    const begun = this.messages.length > 0;
    return {
      files: first && file !== undefined ? file.map((path) => constant(path, path)) : begun ? [] : undefined,
      images:
        first && image !== undefined ? image.map((path) => constant(path, path)) : begun ? [] : undefined,
    };
  }

  async #keep(conversation: Conversation): Promise<void> {
    this.#conversation = conversation;
    if (this.#path !== undefined) await writeSession(this.#path, conversation, this.#options.context.secrets);
  }

  /** Nothing that was said gets lost, whether a session file was asked for or not. Source: field report FR-16. */
  async #keepUnfinished(conversation: Conversation): Promise<void> {
    const { context } = this.#options;
    this.#conversation = conversation;
    const name = this.#options.options.session ?? join('.lait', 'sessions', `${randomUUID()}.json`);
    await writeSession(resolve(context.workingDirectory, name), conversation, context.secrets);
    context.output.note(
      `the conversation is kept in ${name}; the same command with --session ${name} and without a message goes on, with --max-tool-rounds N more exchanges`,
    );
  }
}

function sessionPath({ options, context }: ChatSessionOptions): string | undefined {
  return options.session === undefined ? undefined : resolve(context.workingDirectory, options.session);
}

/** What the flags and the configuration say about each request. */
function fieldsOf(
  { options, agent, context }: ChatSessionOptions,
  { values }: Configuration,
): Omit<ChatFields, 'history' | 'agentInput'> {
  const {
    model,
    temperature,
    topP,
    maxTokens,
    reasoningEffort,
    mcp,
    tools,
    skills,
    subagents,
    maxToolRounds,
  } = options;
  const { outputSchema } = options;
  return {
    settings: {
      model,
      temperature,
      top_p: topP,
      max_tokens: maxTokens,
      reasoning_effort: reasoningEffort,
      mcp,
      tools,
      skills,
      subagents,
      max_tool_rounds: maxToolRounds,
    },
    system: options.system ?? values.default?.system,
    agent,
    outputSchema:
      outputSchema === undefined ? undefined : { file: resolve(context.workingDirectory, outputSchema) },
  };
}

/** What the person is told beside the answer; on a terminal also which tools are called. */
function toldLines(event: RunEvent, lines: ProgressLines, onTerminal: boolean): string[] {
  if (event.type === 'run.started' || event.type === 'step.started') return [];
  const told = lines.lines(event);
  if (told.length > 0 || !onTerminal || event.type !== 'tool.called') return told;
  return [`    -> ${printable(event.tool)} ${preview(shownJson(event.arguments))}`];
}

/** Source: facts §1.3. */
function jsonOrText(text: string): JsonValue {
  try {
    return JSON.parse(text);
  } catch {
    return text;
  }
}

function textOrNull(value: JsonValue | undefined): string | null {
  return typeof value === 'string' ? value : null;
}
