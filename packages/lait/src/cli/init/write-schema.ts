import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { type DocumentKind, documentSchemas } from '../document-schemas.js';

/** Writes the JSON Schema of a kind of file for editors. Gives the file's name, or nothing when it is there already. */
export async function writeSchema(kind: string, directory: string): Promise<string | undefined> {
  const name = `${kind}.schema.json`;
  const text = `${JSON.stringify(documentSchemas[kind as DocumentKind](), null, 2)}\n`;
  try {
    await writeFile(join(directory, name), text, { flag: 'wx' });
    return name;
  } catch (error) {
    if ((error as { code?: string }).code === 'EEXIST') return undefined;
    throw error;
  }
}
