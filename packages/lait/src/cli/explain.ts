import { UsageError } from '../errors/errors.js';
import { type DiagnosticExplanation, diagnosticCodes } from '../plan/diagnostic-codes.js';
import { didYouMean } from '../plan/suggest.js';
import type { CommandContext } from './command-context.js';

/** Prints what a diagnostic code means; without a code the list of codes. Throws a `UsageError` for an unknown one. */
export async function explain(code: string | undefined, { output }: CommandContext): Promise<undefined> {
  const codes: Readonly<Record<string, DiagnosticExplanation>> = diagnosticCodes;
  if (code === undefined) {
    const width = Math.max(...Object.keys(codes).map((name) => name.length));
    const lines = Object.entries(codes).map(([name, { title }]) => `${name.padEnd(width)}  ${title}\n`);
    await output.write(lines.join(''));
    return;
  }
  if (!Object.hasOwn(codes, code)) {
    const hint = didYouMean(code, Object.keys(codes)) ?? '`lait explain` lists them';
    throw new UsageError({ code: 'unknown_code', message: `there is no diagnostic code '${code}'; ${hint}` });
  }
  const { title, explanation, example } = codes[code]!;
  const indented = example.replace(/^(?=.)/gm, '  ');
  await output.write(`${code}: ${title}\n\n${explanation}\n\nExample:\n${indented}\n`);
}
