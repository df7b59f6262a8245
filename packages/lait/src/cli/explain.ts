import { explanations } from '../dialects/explanations.js';
import { UsageError } from '../errors/errors.js';
import { didYouMean } from '../plan/suggest.js';
import type { CommandContext } from './command-context.js';

/** Prints what a diagnostic code means; without a code the list of codes. Throws a `UsageError` for an unknown one. */
export async function explain(code: string | undefined, { output }: CommandContext): Promise<undefined> {
  const codes = Object.keys(explanations);
  if (code === undefined) {
    const width = Math.max(...codes.map((name) => name.length));
    await output.write(codes.map((name) => `${name.padEnd(width)}  ${explanations[name]!.title}\n`).join(''));
    return;
  }
  if (!Object.hasOwn(explanations, code)) {
    const hint = didYouMean(code, codes) ?? '`lait explain` lists them';
    throw new UsageError({ code: 'unknown_code', message: `there is no diagnostic code '${code}'; ${hint}` });
  }
  const { title, explanation, example } = explanations[code]!;
  const parts = [
    `${code}: ${title}`,
    explanation,
    example === undefined ? undefined : `Example:\n${example.replace(/^(?=.)/gm, '  ')}`,
  ];
  await output.write(`${parts.filter((part) => part !== undefined).join('\n\n')}\n`);
}
