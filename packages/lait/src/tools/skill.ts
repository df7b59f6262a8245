import { stat } from 'node:fs/promises';
import path from 'node:path';
import { parse } from 'yaml';
import { DefinitionError } from '../errors/errors.js';
import { type ReadFileOptions, readTextFile } from '../files/read-file.js';
import { yamlTokens } from '../files/yaml-tokens.js';
import type { ModelTool } from '../kinds/services.js';
import { plainLineEnds } from '../values/line-ends.js';
import { isObject } from '../values/value.js';
import { toolName } from './tool-names.js';

/** Instructions that a model can be given: a Markdown file with frontmatter. Source: steps facts §13. */
export interface Skill {
  /** The name it is registered under. */
  name: string;
  description?: string;
  body: string;
}

/**
 * Reads a skill: a Markdown file, or a directory that holds one named SKILL.md. The first line may open a frontmatter
 * (`---` … `---`) with `name` and `description`; other keys are for other programs and left alone. Nothing in it is
 * a template.
 *
 * @throws DefinitionError `skill_invalid`; LaitError of `readTextFile`
 */
export async function readSkill(name: string, location: string, options: ReadFileOptions): Promise<Skill> {
  const file = (await isDirectory(location)) ? path.join(location, 'SKILL.md') : location;
  const { text } = plainLineEnds(await readTextFile(file, options));
  const match = /^---[ \t]*\r?\n(?:([\s\S]*?)\r?\n)?---[ \t]*(?:\r?\n|$)([\s\S]*)$/.exec(text);
  if (match === null) {
    if (/^---[ \t]*\r?\n/.test(text)) throw invalid(name, file, "its frontmatter has no closing '---' line");
    return { name, body: text.trim() };
  }
  const [, header = '', body = ''] = match;
  const description = readDescription(name, file, header);
  return { name, ...(description !== undefined && { description }), body: body.trim() };
}

function readDescription(name: string, file: string, header: string): string | undefined {
  let frontmatter: unknown;
  try {
    yamlTokens(header);
    frontmatter = parse(header, { maxAliasCount: 100 });
  } catch (error) {
    throw invalid(name, file, `its frontmatter is no YAML: ${(error as Error).message}`);
  }
  if (frontmatter === null || frontmatter === undefined) return undefined;
  if (!isObject(frontmatter)) throw invalid(name, file, 'its frontmatter is no mapping');
  const description = Object.hasOwn(frontmatter, 'description') ? frontmatter.description : undefined;
  if (description === undefined || description === null) return undefined;
  if (typeof description !== 'string') throw invalid(name, file, 'its description is no text');
  return description.trim();
}

/**
 * What skills add to a system prompt: each in full, or, disclosed progressively, only its name and description.
 * Empty without skills. The caller puts it behind its own system prompt and a `---` line.
 */
export function skillText(skills: readonly Skill[], progressive: boolean): string {
  if (skills.length === 0) return '';
  if (!progressive) {
    return skills
      .map(({ name, description, body }) =>
        [`## Skill: ${name}`, description, body]
          .filter((part) => part !== undefined && part !== '')
          .join('\n\n'),
      )
      .join('\n\n');
  }
  const lines = skills.map(({ name, description }) => {
    const purpose = description === undefined ? '' : `: ${description.replace(/\s*\n\s*/g, ' ')}`;
    return `- ${name}${purpose} (call ${toolName('skill', name)} to read it)`;
  });
  return `## Skills\n\nRead a skill by calling its tool before you do what it is about.\n\n${lines.join('\n')}`;
}

/** `skill__NAME`: gives the model the text of a skill that is disclosed progressively. */
export function skillTool({ name, description, body }: Skill): ModelTool {
  return {
    definition: {
      type: 'function',
      function: {
        name: toolName('skill', name),
        description: `Reads the skill '${name}'${description === undefined ? '' : `: ${description}`}`,
        parameters: { type: 'object', properties: {} },
      },
    },
    call: async () => ({ text: body, isError: false }),
  };
}

async function isDirectory(location: string): Promise<boolean> {
  try {
    return (await stat(location)).isDirectory();
  } catch {
    return false; // reading it says what is wrong
  }
}

function invalid(name: string, file: string, reason: string): DefinitionError {
  const message = `skill '${name}' (${file}): ${reason}`;
  return new DefinitionError({
    code: 'skill_invalid',
    message,
    diagnostics: [{ code: 'skill_invalid', severity: 'error', message }],
  });
}
