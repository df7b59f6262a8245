import type { Form } from '../../plan/plan.js';
import { Problems } from '../../plan/problems.js';
import { readYamlValue } from '../../plan/yaml/read-yaml-value.js';
import type { JsonObject, JsonValue } from '../../values/value.js';

/** How far a version is: what is worked on, what runs, and what ran before. Source: graph seed, revisions. */
export type VersionStatus = 'draft' | 'published' | 'superseded';

/** A stored workflow of any form. Times are UTC ISO 8601 texts. */
export interface StoredDefinition {
  id: string;
  form: Form;
  name: string;
  description: string | null;
  authorId: string | null;
  /** Runs begin without a person's consent. */
  skipApproval: boolean;
  createdAt: string;
  updatedAt: string;
}

/** A version of a stored workflow. */
export interface StoredVersion {
  /** Names the version in all of the server. */
  revisionId: string;
  definitionId: string;
  /** From 1, without gaps but for removed drafts. */
  version: number;
  status: VersionStatus;
  content: DefinitionContent;
  createdAt: string;
  updatedAt: string;
}

/** A stored workflow with its versions. */
export interface DefinitionView {
  definition: StoredDefinition;
  /** The newest first. */
  versions: StoredVersion[];
}

/** A version that runs can be started of. Its content never changes. */
export interface RunnableVersion extends Pick<StoredVersion, 'revisionId' | 'version'> {
  form: Form;
  skipApproval: boolean;
}

/** A definition as it was given: the text of a YAML or JSON file, or the object. */
export type DefinitionContent = string | JsonObject;

export function contentOf(value: JsonValue): DefinitionContent {
  return typeof value === 'string' ? value : (value as JsonObject);
}

/**
 * The content as a value, also of the text of a file. Undefined for a text that is no YAML: what is wrong with it is
 * told where it is checked.
 */
export function valueOfContent(content: DefinitionContent): JsonValue | undefined {
  if (typeof content !== 'string') return content;
  return readYamlValue(new Problems({ file: '<definition>', text: content }));
}

/** The content as the text that plans are lowered from. */
export function textOfContent(content: DefinitionContent): string {
  return typeof content === 'string' ? content : JSON.stringify(content, null, 2);
}
