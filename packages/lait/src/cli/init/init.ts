import { readFile, writeFile } from 'node:fs/promises';
import { dirname, join, resolve } from 'node:path';
import { UsageError } from '../../errors/errors.js';
import { LaitError } from '../../errors/lait-error.js';
import { exists } from '../../files/exists.js';
import { makeDirectory } from '../../files/make-directory.js';
import { writeFileAtomically } from '../../files/write-file.js';
import type { CommandContext } from '../command-context.js';
import { type ScaffoldKind, scaffolds } from './scaffolds.js';
import { writeSchema } from './write-schema.js';

/**
 * Writes a file to start from, with the schema that its first line names, and keeps `.lait/` out of git. Throws (code
 * `file_exists`) rather than overwrite.
 */
export async function init(
  kind: ScaffoldKind,
  path: string | undefined,
  context: CommandContext,
): Promise<void> {
  const scaffold = scaffolds[kind];
  const name = path ?? scaffold.path;
  checkExtension(kind, name);
  const file = resolve(context.workingDirectory, name);
  try {
    await makeDirectory(dirname(file));
    await writeFile(file, scaffold.text, { flag: 'wx' });
  } catch (error) {
    const exists = (error as { code?: string }).code === 'EEXIST';
    throw new LaitError({
      code: exists ? 'file_exists' : 'file_unwritable',
      message: exists
        ? `${name} already exists and is not overwritten`
        : `cannot write ${name}: ${(error as Error).message}`,
    });
  }
  await context.output.write(`wrote ${name}\n`);
  if ('schema' in scaffold) {
    const schema = await writeSchema(scaffold.schema, dirname(file));
    if (schema !== undefined) await context.output.write(`wrote ${join(dirname(name), schema)}\n`);
  }
  if (kind === 'config' || kind === 'workflow') await ignoreState(context);
}

function checkExtension(kind: ScaffoldKind, name: string): void {
  const wanted = kind === 'agent' ? ['.md'] : ['.yml', '.yaml'];
  if (wanted.some((extension) => name.endsWith(extension))) return;
  throw new UsageError({
    code: 'file_extension',
    message: `the path of a new ${kind} must end in ${wanted.join(' or ')}: ${name}`,
  });
}

/** Adds `.lait/` to the .gitignore of a git work tree, or to one that is there already. */
async function ignoreState({ workingDirectory, output }: CommandContext): Promise<void> {
  const file = join(workingDirectory, '.gitignore');
  const text = await readFile(file, 'utf8').catch((error: { code?: string }) => {
    if (error.code === 'ENOENT') return undefined;
    throw error;
  });
  if (text === undefined && !(await exists(join(workingDirectory, '.git')))) return;
  if (text?.split(/\r?\n/).some((line) => /^\/?\.lait\/?$/.test(line.trim())) === true) return;
  const separator = text === undefined || text === '' || text.endsWith('\n') ? '' : '\n';
  await writeFileAtomically(file, `${text ?? ''}${separator}.lait/\n`);
  await output.write('added .lait/ to .gitignore\n');
}
