import { cp, readdir, readFile, writeFile } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import { UsageError } from '../../errors/errors.js';
import { LaitError } from '../../errors/lait-error.js';
import { didYouMean } from '../../plan/suggest.js';
import type { CommandContext } from '../command-context.js';
import { exampleDirectory, exampleNames } from '../example-directory.js';
import { trustWritten } from '../trust/trust-written.js';
import { writeSchema } from './write-schema.js';

/** The line by which editors find a schema; in the repository the examples share those of the documentation. */
const sharedSchema = /^(# yaml-language-server: \$schema=)\S*\/docs\/schemas\/(\w+)\.json$/m;

/**
 * Copies an example into a new directory, with the schemas that its files name. Throws a `UsageError` for an unknown
 * name (code `unknown_example`), and `file_exists` rather than write into a directory that is there.
 */
export async function copyExample(
  name: string,
  path: string | undefined,
  context: CommandContext,
): Promise<void> {
  const { output, workingDirectory } = context;
  const examples = exampleDirectory();
  const names = await exampleNames();
  if (!names.includes(name)) {
    throw new UsageError({
      code: 'unknown_example',
      message: `there is no example '${name}'; ${didYouMean(name, names) ?? `there are ${names.join(', ')}`}`,
    });
  }
  const target = resolve(workingDirectory, path ?? name);
  try {
    await cp(join(examples, name), target, {
      recursive: true,
      errorOnExist: true,
      force: false,
      filter: (source) => !source.endsWith('.lait'),
    });
  } catch (error) {
    const exists = (error as { code?: string }).code === 'ERR_FS_CP_EEXIST';
    throw new LaitError({
      code: exists ? 'file_exists' : 'file_unwritable',
      message: exists
        ? `${path ?? name} holds files of the example already, and nothing is overwritten`
        : `cannot write ${path ?? name}: ${(error as Error).message}`,
    });
  }
  for (const entry of await readdir(target)) {
    if (!/\.ya?ml$/.test(entry)) continue;
    const file = join(target, entry);
    const text = await readFile(file, 'utf8');
    const kind = sharedSchema.exec(text)?.[2];
    if (kind === undefined) continue;
    await writeFile(file, text.replace(sharedSchema, '$1./$2.schema.json'));
    await writeSchema(kind, target);
  }
  await trustWritten(target, context);
  await output.write(`copied the example to ${path ?? name}; README.md in it says how to run it\n`);
}
