import type { JsonObject } from '../values/value.js';
import type { ModelTool, ToolResult } from './services.js';

/**
 * Lets a model read the rest of tool results that were too long to be shown whole. Offered only after one was cut.
 * Source: field report FR-37.
 */
export class ToolResultReader {
  readonly tool: ModelTool;
  readonly #texts: Map<string, string>;
  readonly #maxBytes: () => number;

  /** `texts`: what was cut before, by the ids of the calls. */
  constructor(maxBytes: () => number, texts: Readonly<Record<string, string>> = {}) {
    this.#maxBytes = maxBytes;
    this.#texts = new Map(Object.entries(texts));
    this.tool = {
      definition: {
        type: 'function',
        function: {
          name: 'tool_result__read',
          description: 'Reads a part of an earlier tool result that was too long to be shown whole.',
          parameters: {
            type: 'object',
            properties: {
              call_id: { type: 'string', description: 'The call whose result is read.' },
              offset: { type: 'integer', description: 'First character to read, counted from 0.' },
              length: { type: 'integer', description: 'How many characters to read.' },
            },
            required: ['call_id', 'offset'],
          },
        },
      },
      call: async (arguments_) => this.read(arguments_),
    };
  }

  get isNeeded(): boolean {
    return this.#texts.size > 0;
  }

  /** What can be read, by the ids of the calls. */
  get texts(): Readonly<Record<string, string>> {
    return Object.fromEntries(this.#texts);
  }

  keep(callId: string, text: string): void {
    this.#texts.set(callId, text);
  }

  read({ call_id, offset, length }: JsonObject): ToolResult {
    const text = typeof call_id === 'string' ? this.#texts.get(call_id) : undefined;
    if (text === undefined) {
      const ids = [...this.#texts.keys()].map((id) => JSON.stringify(id)).join(', ');
      return { text: `call_id must be one of ${ids}`, isError: true };
    }
    if (!Number.isInteger(offset) || Number(offset) < 0) {
      return { text: 'offset must be an integer of at least 0', isError: true };
    }
    // A character takes at most three bytes, and some room is left for the last line.
    const most = Math.max(1, Math.floor((this.#maxBytes() - 200) / 3));
    const wanted = Number.isInteger(length) && Number(length) > 0 ? Number(length) : most;
    const part = text.slice(Number(offset), Number(offset) + Math.min(wanted, most));
    const end = Number(offset) + part.length;
    return { text: `${part}\n[characters ${String(offset)} to ${end} of ${text.length}]`, isError: false };
  }
}
