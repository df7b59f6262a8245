import { UsageError } from '../../errors/errors.js';
import type { AgentPlan } from '../../plan/agent.js';
import { textOf } from '../../values/text.js';
import type { CommandContext } from '../command-context.js';
import { type ExitCode, exitCodeOf, exitCodes } from '../exit-codes.js';
import { readCommandPrompt } from '../read-prompt.js';
import { reportFailure } from '../report-failure.js';
import { failureText, type ResultDocument } from '../run/write-result.js';
import { Terminal } from '../terminal.js';
import type { ChatOptions } from './chat-options.js';
import { ChatSession } from './chat-session.js';
import { partialText } from './partial-text.js';
import { showReply } from './show-reply.js';

/**
 * `lait chat`, `lait "prompt"` and `lait agent run`: one request when there is something to say, an interactive session
 * when there is a terminal instead. Source: facts §1.1 and §1.3.
 */
export async function chatCommand(
  argument: string | undefined,
  options: ChatOptions,
  context: CommandContext,
  agent?: AgentPlan,
): Promise<ExitCode> {
  if (await isInteractive(argument, options)) {
    const { talk } = await import('./interactive-session.js');
    return talk({ options, context, agent });
  }
  return singleRequest(argument, options, context, agent);
}

/** A terminal on both ends and nothing that asks for a single answer. */
async function isInteractive(
  argument: string | undefined,
  { json, stdin, session }: ChatOptions,
): Promise<boolean> {
  const silent = argument !== undefined || json === true || !stdin;
  if (silent || process.stdin.isTTY !== true) return false;
  return session === undefined || process.stdout.isTTY === true;
}

async function singleRequest(
  argument: string | undefined,
  options: ChatOptions,
  context: CommandContext,
  agent: AgentPlan | undefined,
): Promise<ExitCode> {
  const { output, signal, secrets } = context;
  const terminal = new Terminal({ input: process.stdin, output });
  const json = options.json === true;
  const streams = !json && (options.stream ?? process.stdout.isTTY === true);
  let session: ChatSession | undefined;
  try {
    session = await ChatSession.open({
      options,
      context,
      agent,
      ...(context.options.approveTools ? { approve: (text, asked) => terminal.approve(text, asked) } : {}),
      ...(streams ? { stream: (text: string) => void showReply(output, text) } : {}),
    });
    const message = await readCommandPrompt(argument, options.stdin, context);
    if (message === undefined && !session.isOpen) throw nothingToSay(agent);
    const { value, reasoning, shown } = await session.turn(message, signal);
    const content = textOf(value);
    if (json) {
      const document: ResultDocument = { content, reasoning, usage: session.usage.total() };
      await output.write(`${JSON.stringify(document)}\n`);
    } else await showReply(output, shown === content ? '\n' : `${content}\n`);
    return exitCodes.ok;
  } catch (error) {
    const partial = partialText(error);
    await reportFailure(error, { output, verbosity: context.options.verbosity });
    if (json) await output.write(failureText(error, session?.usage.total() ?? null, secrets, partial));
    else if (partial !== null && !streams) await showReply(output, `${partial}\n`);
    return exitCodeOf(error);
  } finally {
    if (options.showUsage === true) for (const line of session?.usage.text() ?? []) output.line(line);
    await session?.close();
  }
}

function nothingToSay(agent: AgentPlan | undefined): UsageError {
  return new UsageError({
    code: 'prompt_required',
    message: `there is nothing to say: give ${agent === undefined ? 'a prompt' : 'INPUT'} or standard input, or use a terminal`,
  });
}
