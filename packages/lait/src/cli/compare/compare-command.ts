import { UsageError } from '../../errors/errors.js';
import { messageChain } from '../../errors/lait-error.js';
import type { UsageJson } from '../../observe/usage-report.js';
import { printable } from '../../values/printable.js';
import { textOf } from '../../values/text.js';
import type { ChatOptions } from '../chat/chat-options.js';
import { ChatSession } from '../chat/chat-session.js';
import type { CommandContext } from '../command-context.js';
import { type ExitCode, exitCodeOf, exitCodes } from '../exit-codes.js';
import { readCommandPrompt } from '../read-prompt.js';
import { sideBySide, stacked } from './side-by-side.js';

export interface CompareOptions extends Omit<ChatOptions, 'model' | 'session' | 'stream'> {
  model: string[];
  system?: string;
}

interface Compared {
  model: string;
  content: string | null;
  /** Why there is no answer. */
  error: string | null;
  usage: UsageJson | null;
  /** By the pricing of the model; null when it is not known. */
  cost: number | null;
  duration_ms: number;
}

/**
 * `lait compare`: asks several models the same at the same time and shows the answers beside each other. Models that fail
 * do not stop the others; the exit code is that of the first failure.
 */
export async function compareModels(
  argument: string | undefined,
  options: CompareOptions,
  context: CommandContext,
): Promise<ExitCode> {
  const { output, signal } = context;
  const models = [...new Set(options.model)];
  if (models.length < 2) {
    throw new UsageError({ code: 'option_value', message: 'name at least two models: --model A --model B' });
  }
  const message = await readCommandPrompt(argument, options.stdin, context);
  if (message === undefined) {
    throw new UsageError({
      code: 'prompt_required',
      message: 'there is nothing to ask: give a prompt or standard input',
    });
  }
  const results = await Promise.all(models.map((model) => ask(model, message, options, context)));
  signal.throwIfAborted();
  const compared = results.map(({ compared: result }) => result);
  if (options.json === true) await output.writeJson(context.secrets.maskValue(compared as never));
  else await output.write(shown(compared));
  const failed = results.find(({ failure }) => failure !== undefined);
  return failed === undefined ? exitCodes.ok : exitCodeOf(failed.failure);
}

async function ask(
  model: string,
  message: string,
  options: CompareOptions,
  context: CommandContext,
): Promise<{ compared: Compared; failure?: unknown }> {
  const startedAt = performance.now();
  let session: ChatSession | undefined;
  const result = (content: string | null, error: string | null): Compared => {
    const usage = session?.usage.total() ?? null;
    const cost = usage === null ? null : session!.usage.cost();
    return { model, content, error, usage, cost, duration_ms: Math.round(performance.now() - startedAt) };
  };
  try {
    session = await ChatSession.open({ options: { ...options, model }, context });
    const { value } = await session.turn(message, context.signal);
    return { compared: result(textOf(value), null) };
  } catch (error) {
    return { compared: result(null, messageChain(error)), failure: error };
  } finally {
    await session?.close();
  }
}

function shown(compared: readonly Compared[]): string {
  const texts = compared.map(({ model, content, error, usage, cost, duration_ms }) => ({
    title: printable(
      [
        model,
        `${(duration_ms / 1000).toFixed(1)} s`,
        ...(usage === null ? [] : [`${usage.total_tokens} tokens`]),
        ...(cost === null ? [] : [`cost ${Number(cost.toPrecision(3))}`]),
      ].join(' · '),
    ),
    text: printable(content ?? `failed: ${error}`),
  }));
  const { isTTY, columns } = process.stdout;
  return isTTY === true ? sideBySide(texts, columns || 80) : stacked(texts);
}
