import { resolve } from 'node:path';
import { explainOverflow } from '../../errors/explain-overflow.js';
import { isLaitError, messageChain } from '../../errors/lait-error.js';
import { writeFileAtomically } from '../../files/write-file.js';
import type { UsageJson } from '../../observe/usage-report.js';
import type { SecretRegistry } from '../../values/secrets.js';
import { textOf } from '../../values/text.js';
import type { Value } from '../../values/value.js';
import type { CommandContext } from '../command-context.js';

/** What `--json` prints. `error` is there when the run failed. Source: facts §1.2, field reports FR-13 and FR-40. */
export interface ResultDocument {
  /** The text form of the result; null when there is none. */
  content: string | null;
  /** What the model said it thought; always null for workflows. */
  reasoning: string | null;
  /** Null when no server reported usage. */
  usage: UsageJson | null;
  error?: ErrorDocument;
}

/** What went wrong, for programs. */
export interface ErrorDocument {
  code: string;
  category: string;
  message: string;
  details: object;
}

/** The result as it is printed: its text form and a line break, or the JSON document of `--json`. */
export function resultText(value: Value, usage: UsageJson | null, json: boolean): string {
  const content = textOf(value);
  if (!json) return `${content}\n`;
  const document: ResultDocument = { content, reasoning: null, usage };
  return `${JSON.stringify(document)}\n`;
}

/** The JSON document of a run that failed; `content` is what there is of a result. */
export function failureText(
  failure: unknown,
  usage: UsageJson | null,
  secrets: SecretRegistry,
  content: string | null = null,
): string {
  const document: ResultDocument = {
    content,
    reasoning: null,
    usage,
    error: errorDocument(failure, secrets),
  };
  return `${JSON.stringify(document)}\n`;
}

/** A failure as `--json` prints it. */
export function errorDocument(failure: unknown, secrets: SecretRegistry): ErrorDocument {
  const error = explainOverflow(failure);
  const ours = isLaitError(error);
  return {
    code: ours ? error.code : 'unexpected_error',
    category: ours ? error.category : 'failed',
    message: secrets.mask(messageChain(error)),
    details: ours ? secrets.maskValue(error.details) : {},
  };
}

/** Whether the result goes to a file. */
export function writesFile({ output }: { output?: string }): boolean {
  return output !== undefined && output !== '-';
}

/**
 * Hands a text over: to the file of `--output`, whole, or to standard output, which may have got the beginning while it
 * arrived.
 */
export async function handOver(
  text: string,
  options: { output?: string },
  { output, workingDirectory }: CommandContext,
  shown = '',
): Promise<void> {
  if (writesFile(options)) await writeFileAtomically(resolve(workingDirectory, options.output!), text);
  else if (text.startsWith(shown)) await output.write(text.slice(shown.length));
  else await output.write(shown.endsWith('\n') ? '' : '\n');
}
