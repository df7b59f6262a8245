import type { ToolCall } from '../kinds/services.js';
import { isObject, type JsonObject, type JsonValue, ownProperty } from '../values/value.js';
import { modelError } from './model-error.js';
import { ownText } from './own-text.js';
import { contentOf, judge, type RawReply } from './read-completion.js';
import { normalizeUsage } from './usage.js';

type OnToken = (text: string, reasoning: boolean) => void;

/**
 * Reads a streamed completion to its end and puts it together. A stream that ends without a finish reason, carries an
 * error, or carries nothing is never an answer. Source: field report FR-20.
 */
export async function readStream(
  chunks: AsyncIterable<JsonValue>,
  modelId: string,
  onToken: OnToken,
): Promise<RawReply> {
  const reply = new StreamedReply(modelId, onToken);
  for await (const chunk of chunks) reply.add(chunk);
  return reply.finish();
}

class StreamedReply {
  #chunks = 0;
  #content = '';
  #reasoning = '';
  #refusal = '';
  #finishReason: string | null = null;
  #usage: JsonValue | undefined;
  #model: string;
  readonly #calls: ToolCall[] = [];
  readonly #onToken: OnToken;

  constructor(modelId: string, onToken: OnToken) {
    this.#model = modelId;
    this.#onToken = onToken;
  }

  add(chunk: JsonValue): void {
    this.#chunks += 1;
    if (!isObject(chunk))
      throw modelError('model_stream_malformed', 'the stream carried something that is no chunk');
    const failure = ownProperty(chunk, 'error');
    if (failure !== undefined && failure !== null) {
      const said = isObject(failure) ? ownText(failure, 'message') : failure;
      throw streamError(typeof said === 'string' ? said : JSON.stringify(failure), this.#content);
    }
    const choices = ownProperty(chunk, 'choices');
    if (!Array.isArray(choices)) {
      const problem = ownText(chunk, 'message') ?? ownText(chunk, 'detail');
      if (problem !== null) throw streamError(problem, this.#content);
    }
    const usage = ownProperty(chunk, 'usage');
    if (isObject(usage)) this.#usage = usage;
    this.#model = ownText(chunk, 'model') || this.#model;
    const choice = Array.isArray(choices) ? choices[0] : undefined;
    if (!isObject(choice)) return;
    const delta = ownProperty(choice, 'delta');
    if (isObject(delta)) this.#addDelta(delta);
    this.#finishReason = ownText(choice, 'finish_reason') ?? this.#finishReason;
  }

  finish(): RawReply {
    if (this.#chunks === 0)
      throw modelError('model_stream_empty', 'the stream ended without carrying anything');
    if (this.#finishReason === null) {
      throw modelError('model_stream_incomplete', 'the stream ended before the reply was finished', {
        text: this.#content,
      });
    }
    return judge({
      content: this.#content === '' ? null : this.#content,
      refusal: this.#refusal,
      reasoning: this.#reasoning === '' ? null : this.#reasoning,
      toolCalls: this.#calls.filter((call) => call !== undefined),
      finishReason: this.#finishReason,
      usage: normalizeUsage(this.#usage),
      model: this.#model,
    });
  }

  #addDelta(delta: JsonObject): void {
    const reasoning = ownText(delta, 'reasoning') ?? ownText(delta, 'reasoning_content') ?? '';
    const content = contentOf(delta) ?? '';
    this.#refusal += ownText(delta, 'refusal') ?? '';
    this.#reasoning += reasoning;
    this.#content += content;
    if (reasoning !== '') this.#onToken(reasoning, true);
    if (content !== '') this.#onToken(content, false);
    const fragments = ownProperty(delta, 'tool_calls');
    if (Array.isArray(fragments))
      for (const fragment of fragments) if (isObject(fragment)) this.#addCall(fragment);
  }

  /** Fragments of one call share its index; servers without indexes start a new call with a new id. */
  #addCall(fragment: JsonObject): void {
    const index = ownProperty(fragment, 'index');
    const id = ownText(fragment, 'id');
    const last = this.#calls.length - 1;
    let position =
      typeof index === 'number' && Number.isInteger(index) && index >= 0 && index < 1024 ? index : last;
    if (index === undefined && id !== null && this.#calls[last]?.id !== id) position = last + 1;
    position = Math.max(position, 0);
    this.#calls[position] ??= {
      id: id || `call_${position}`,
      type: 'function',
      function: { name: '', arguments: '' },
    };
    const call = this.#calls[position]!;
    const details = ownProperty(fragment, 'function');
    if (!isObject(details)) return;
    // A name comes whole; some servers repeat it with every fragment.
    if (call.function.name === '') call.function.name = ownText(details, 'name') ?? '';
    const arguments_ = ownProperty(details, 'arguments');
    if (typeof arguments_ === 'string') call.function.arguments += arguments_;
    else if (isObject(arguments_)) call.function.arguments = JSON.stringify(arguments_);
  }
}

/** The error of a stream that broke off; `text` is what had arrived by then. */
function streamError(message: string, text: string | null) {
  return modelError('model_stream_error', `the stream broke off with an error: ${message}`, { text });
}
