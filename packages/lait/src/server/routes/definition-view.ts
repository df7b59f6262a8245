import { z } from 'zod';
import type { Diagnostic } from '../../plan/diagnostic.js';
import { isError } from '../definitions/check-definition.js';
import type { StoredDefinition, StoredVersion } from '../definitions/definition.js';
import { form, json, jsonObject, time } from './schemas.js';

const diagnosticSchema = z
  .object({
    code: z.string(),
    severity: z.enum(['error', 'warning']),
    message: z.string(),
    path: z.string().optional().describe('The step or entry, e.g. `steps[2]`.'),
    id: z.string().optional(),
    hint: z.string().optional(),
    position: z
      .object({ file: z.string(), line: z.int(), column: z.int(), start: z.int(), end: z.int() })
      .optional(),
  })
  .meta({ id: 'Diagnostic' });

const versionStatus = z.enum(['draft', 'published', 'superseded']);

export const versionSchema = z
  .object({
    revision_id: z.string(),
    version: z.int(),
    status: versionStatus,
    created_at: time,
    updated_at: time,
  })
  .meta({ id: 'DefinitionVersion' });

export const content = z
  .union([z.string().min(1).describe('The text of a YAML or JSON file.'), jsonObject])
  .describe('The definition: the text of a file, or the object.');

export const versionWithContentSchema = versionSchema
  .extend({ content: json.describe('The definition as it was given.') })
  .meta({ id: 'DefinitionVersionWithContent' });

export const definitionSchema = z
  .object({
    id: z.string(),
    form: form.nullable().describe('Null for a file of the configuration that cannot be read.'),
    name: z.string(),
    description: z.string().nullable(),
    source: z
      .enum(['stored', 'configuration'])
      .describe('Workflows of the configuration cannot be changed here.'),
    skip_approval: z.boolean(),
    created_at: time.nullable(),
    updated_at: time.nullable(),
  })
  .meta({ id: 'Definition' });

export const definitionDetailSchema = definitionSchema
  .extend({
    published_version: z.int().nullable(),
    content: json.describe('Of the published version, else of the newest one.'),
    versions: z.array(versionSchema).describe('The newest first.'),
  })
  .meta({ id: 'DefinitionWithVersions' });

/** A problem of a definition: where it is, and what to do. */
function diagnosticView(diagnostic: Diagnostic): z.infer<typeof diagnosticSchema> {
  return diagnostic;
}

/** A version without its content. */
export function versionView(version: StoredVersion): z.infer<typeof versionSchema> {
  const { revisionId, status, createdAt, updatedAt } = version;
  return {
    revision_id: revisionId,
    version: version.version,
    status,
    created_at: createdAt,
    updated_at: updatedAt,
  };
}

/** A stored workflow as lists show it. */
export function storedView(definition: StoredDefinition): z.infer<typeof definitionSchema> {
  return {
    id: definition.id,
    form: definition.form,
    name: definition.name,
    description: definition.description,
    source: 'stored',
    skip_approval: definition.skipApproval,
    created_at: definition.createdAt,
    updated_at: definition.updatedAt,
  };
}

/** A stored workflow with all of its versions. */
export function detailView(
  definition: StoredDefinition,
  versions: readonly StoredVersion[],
): z.infer<typeof definitionDetailSchema> {
  const published = versions.find(({ status }) => status === 'published');
  return {
    ...storedView(definition),
    published_version: published?.version ?? null,
    content: (published ?? versions[0])?.content ?? null,
    versions: versions.map(versionView),
  };
}

/** What checking a definition came to. */
export const checkReportSchema = z.object({ valid: z.boolean(), diagnostics: z.array(diagnosticSchema) });

export function checkReport(diagnostics: readonly Diagnostic[]): z.infer<typeof checkReportSchema> {
  return { valid: !diagnostics.some(isError), diagnostics: diagnostics.map(diagnosticView) };
}
