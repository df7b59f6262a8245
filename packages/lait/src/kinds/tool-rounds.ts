import { ModelError } from '../errors/errors.js';
import type { ToolSelection } from '../plan/settings.js';
import { cutText } from '../values/cut-text.js';
import { isObject, type JsonObject, type JsonValue } from '../values/value.js';
import type { StepContext } from './kind.js';
import type { ChatMessage, ModelReply, ModelTool, ToolCall, ToolDefinition, ToolResult } from './services.js';
import { type ToolCallRequest, toolCallBlock } from './tool-call-block.js';
import { ToolResultReader } from './tool-result-reader.js';

/** Calls of one reply that run at the same time. Source: facts §12. */
const maxConcurrentCalls = 8;

type Decision = ToolCallRequest['decision'];

/** A call that can be made, or what is wrong with it. */
type Judged =
  | { call: ToolCall; tool: ModelTool; arguments: JsonObject }
  | { call: ToolCall; mistake: string };

/**
 * The rounds of one conversation. A round takes the tool calls of one reply and gives the messages that answer them,
 * in the order of the calls. A call of an unknown tool or with arguments that are no object is answered with what is
 * wrong; when the next reply makes such a mistake again, or at once with `strict_tools`, the request fails.
 * Source: facts §12, field reports FR-17 and FR-37.
 */
export class ToolRounds {
  /** Exchanges so far. */
  done = 0;
  readonly #tools: readonly ModelTool[];
  readonly #selection: ToolSelection;
  readonly #agents: readonly string[];
  readonly #context: StepContext;
  readonly #reader: ToolResultReader;
  #mistaken = false;

  constructor(
    tools: readonly ModelTool[],
    selection: ToolSelection,
    agents: readonly string[],
    context: StepContext,
    cutResults?: Readonly<Record<string, string>>,
  ) {
    this.#tools = tools;
    this.#selection = selection;
    this.#agents = agents;
    this.#context = context;
    this.#reader = new ToolResultReader(() => context.services.tools.maxResultBytes, cutResults);
  }

  /** What the model is offered: once a result was cut, a way to read the rest of it as well. */
  get definitions(): readonly ToolDefinition[] {
    const own = this.#tools.map((tool) => tool.definition);
    return this.#reader.isNeeded ? [...own, this.#reader.tool.definition] : own;
  }

  /** Results that the model was shown cut, whole, by the ids of the calls. */
  get cutResults(): Readonly<Record<string, string>> {
    return this.#reader.texts;
  }

  async run(reply: ModelReply): Promise<ChatMessage[]> {
    this.done += 1;
    const judged = reply.toolCalls.map((call) => this.#judge(call));
    for (const one of judged) if ('mistake' in one) this.#tellMistake(one.call, one.mistake);
    this.#refuseMistakes(judged);
    const results = await this.#results(judged);
    return [
      { role: 'assistant', content: reply.content, tool_calls: [...reply.toolCalls] },
      ...reply.toolCalls.map((call, index): ChatMessage => {
        return { role: 'tool', tool_call_id: call.id, content: this.#shown(call, results[index]!) };
      }),
    ];
  }

  #judge(call: ToolCall): Judged {
    const { name } = call.function;
    const offered = this.#reader.isNeeded ? [...this.#tools, this.#reader.tool] : this.#tools;
    const tool = offered.find(({ definition }) => definition.function.name === name);
    if (tool === undefined) {
      const names = offered.map(({ definition }) => definition.function.name).join(', ');
      return { call, mistake: `there is no tool named '${name}'; the tools are: ${names}` };
    }
    const text = call.function.arguments.trim();
    if (text === '' || text === 'null') return { call, tool, arguments: {} };
    let parsed: JsonValue;
    try {
      parsed = JSON.parse(text);
    } catch (error) {
      return { call, mistake: `the arguments of ${name} are not JSON (${(error as Error).message})` };
    }
    if (isObject(parsed)) return { call, tool, arguments: parsed };
    return { call, mistake: `the arguments of ${name} must be a JSON object` };
  }

  /** A call that cannot be made is an event like one that failed: it shows in the trace and the progress. */
  #tellMistake(call: ToolCall, mistake: string): void {
    const { address, node, listening } = this.#context;
    if (!listening) return;
    const { name: tool, arguments: given } = call.function;
    const about = { address, label: node.label, tool, callId: call.id, round: this.done };
    const now = Date.now();
    this.#context.emit({ type: 'tool.called', ...about, arguments: given });
    this.#context.emit({
      type: 'tool.completed',
      ...about,
      decision: 'invalid',
      isError: true,
      result: mistake,
      startedAt: now,
      endedAt: now,
    });
  }

  #refuseMistakes(judged: readonly Judged[]): void {
    const mistakes = judged.flatMap((one) => ('mistake' in one ? [one.mistake] : []));
    const again = this.#mistaken || this.#context.services.tools.strict;
    this.#mistaken = mistakes.length > 0;
    if (mistakes.length === 0 || !again) return;
    throw new ModelError({
      code: 'tool_call_invalid',
      message: `the model made a tool call that cannot be run: ${mistakes.join('; ')}`,
      details: { mistakes },
    });
  }

  async #results(judged: readonly Judged[]): Promise<ToolResult[]> {
    const results: ToolResult[] = judged.map((one) =>
      'mistake' in one ? { text: one.mistake, isError: true } : { text: '', isError: false },
    );
    const runnable: { index: number; tool: ModelTool; request: Omit<ToolCallRequest, 'decision'> }[] = [];
    for (const [index, one] of judged.entries()) {
      if ('mistake' in one) continue;
      if (one.tool === this.#reader.tool) {
        results[index] = this.#reader.read(one.arguments);
        continue;
      }
      const request = {
        tool: one.call.function.name,
        arguments: one.arguments,
        callId: one.call.id,
        round: this.done,
        selection: this.#selection,
        agents: this.#agents,
      };
      runnable.push({ index, tool: one.tool, request });
    }
    if (runnable.length === 0) return results;
    const decisions = await this.#decide(runnable.map(({ tool, request }) => ({ tool, request })));
    const block = toolCallBlock(this.#context);
    const values = await this.#context.runBranches(
      runnable.map(({ index, request }, position) => ({
        key: `${index + 1} ${request.tool}`,
        block,
        value: { ...request, decision: decisions[position]! } as unknown as JsonObject,
        loop: null,
      })),
      { maxConcurrency: maxConcurrentCalls, name: `tools[${this.done}]` },
    );
    for (const [position, { index }] of runnable.entries()) {
      results[index] = values[position] as unknown as ToolResult;
    }
    return results;
  }

  /** Policy and approval of a whole batch, one by one, before any of it runs. */
  async #decide(
    calls: readonly { tool: ModelTool; request: { arguments: JsonObject } }[],
  ): Promise<readonly Decision[]> {
    const { tools } = this.#context.services;
    const value = await this.#context.effect(
      async ({ signal }) => {
        const decisions: Decision[] = [];
        for (const { tool, request } of calls) {
          decisions.push(await tools.decide(tool, request.arguments, { signal }));
        }
        return { value: decisions };
      },
      { name: `approvals[${this.done}]` },
    );
    return value as unknown as Decision[];
  }

  /** The one place where a tool's result enters the conversation. */
  #shown(call: ToolCall, result: ToolResult): string {
    const cut = cutText(result.text, this.#context.services.tools.maxResultBytes);
    if (cut.omittedBytes === 0) return cut.text;
    this.#reader.keep(call.id, result.text);
    return `${cut.text}\n[read the rest with ${this.#reader.tool.definition.function.name}, call_id ${JSON.stringify(call.id)}]`;
  }
}
