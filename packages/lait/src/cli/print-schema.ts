import type { CommandContext } from './command-context.js';
import type { DocumentKind } from './document-schemas.js';

/** Prints the JSON Schema of a kind of file. */
export async function printSchema(kind: DocumentKind, { output }: CommandContext): Promise<void> {
  const { documentSchemas } = await import('./document-schemas.js');
  await output.writeJson(documentSchemas[kind]());
}
