import type { ModelTool } from '../kinds/services.js';
import { jsonText } from '../values/text.js';
import type { JsonObject } from '../values/value.js';

/** Asks the person at the terminal; throws when there is none. */
export type Approve = (text: string, signal: AbortSignal) => Promise<'yes' | 'no' | 'always'>;

/**
 * `--approve-tools`: every call is shown with its arguments and the command it really runs, and waits for a person.
 * Questions are asked one at a time. `always` holds for the tool it was said of. Source: steps facts §12.
 */
export class ToolApproval {
  readonly #approve: Approve;
  readonly #always = new Set<string>();
  #queue: Promise<unknown> = Promise.resolve();

  constructor(approve: Approve) {
    this.#approve = approve;
  }

  /** @throws what the terminal throws, and the signal's reason */
  ask(tool: ModelTool, arguments_: JsonObject, signal: AbortSignal): Promise<'approved' | 'rejected'> {
    const answer = this.#queue.then(async () => {
      signal.throwIfAborted();
      const { name } = tool.definition.function;
      if (this.#always.has(name)) return 'approved' as const;
      const reply = await this.#approve(describeCall(tool, arguments_), signal);
      if (reply === 'always') this.#always.add(name);
      return reply === 'no' ? ('rejected' as const) : ('approved' as const);
    });
    this.#queue = answer.catch(() => {});
    return answer;
  }
}

function describeCall(tool: ModelTool, arguments_: JsonObject): string {
  const lines = [
    `the model wants to call ${tool.definition.function.name}`,
    `  arguments: ${jsonText(arguments_)}`,
  ];
  const command = tool.preview?.(arguments_);
  if (command !== undefined) lines.push(`  runs: ${JSON.stringify(command)}`);
  return lines.join('\n');
}
