import { z } from 'zod';
import type { ServerContext } from '../../server-context.js';
import { type DefinitionPackage, type PackageFormat, writePackage } from './definition-package.js';

export const packageFileQuery = z.object({ format: z.enum(['json', 'yaml']).default('json') });
export const packageFileResponse = { 200: { description: 'The file.', content: 'application/octet-stream' } };

/** A package as a download. `title` names the file, in whatever language. */
export async function packageFile(
  server: ServerContext,
  definition: DefinitionPackage,
  title: string,
  format: PackageFormat,
): Promise<Response> {
  const text = await writePackage(definition, format);
  return new Response(server.secrets.mask(text), {
    headers: {
      'content-type': `application/${format}; charset=utf-8`,
      'content-disposition': attachment(server.secrets.mask(title), format),
    },
  });
}

/** The name twice: in ASCII for old clients, and as it is. Source: RFC 6266. */
function attachment(title: string, extension: string): string {
  const plain = title.replaceAll(/[^\w.-]+/gu, '-').replaceAll(/^[-.]+|[-.]+$/g, '') || 'workflow';
  const escaped = encodeURIComponent(`${title.toWellFormed()}.${extension}`).replaceAll(
    /['()*!]/g,
    (character) => `%${character.charCodeAt(0).toString(16).toUpperCase()}`,
  );
  return `attachment; filename="${plain}.${extension}"; filename*=UTF-8''${escaped}`;
}
