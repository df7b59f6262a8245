import { isObject } from '../values/value.js';
import { dialectOf, type Form, forms } from './index.js';

const keyLine = new RegExp(
  `^(["']?)(${forms.flatMap((form) => dialectOf(form).keys).join('|')})\\1[ \\t]*:`,
  'gm',
);

/**
 * The form of a definition that a program hands over, by its top-level keys. What is none of the others counts as
 * steps, whose reader says what is wrong (also with a version 1 file, which has `nodes` but no `edges`).
 */
export function detectForm(definition: unknown): Form {
  if (!isObject(definition)) return 'steps';
  return formOf(new Set(Object.keys(definition))) ?? 'steps';
}

/**
 * The form of a file's text: JSON is parsed, of YAML only the keys in the first column are looked at, so that a large
 * or broken file costs nothing here and is reported by its own reader.
 */
export function detectFormOfText(text: string): Form {
  if (/^\s*\{/.test(text)) return formOfJson(text) ?? 'steps';
  const keys = text.matchAll(keyLine);
  return formOf(new Set([...keys].map((match) => match[2]!))) ?? 'steps';
}

/** Whether a JSON text is a definition, told from other JSON by the keys of a form. */
export function isJsonDefinition(text: string): boolean {
  return formOfJson(text) !== undefined;
}

/** Of broken JSON the keys count in their order at any depth: a definition is known in spite of its mistake. */
function formOfJson(text: string): Form | undefined {
  try {
    const definition: unknown = JSON.parse(text);
    return isObject(definition) ? formOf(new Set(Object.keys(definition))) : undefined;
  } catch {
    const keys = new Set<string>();
    for (const [, key] of text.matchAll(/"(\w+)"\s*:/g)) {
      const form = formOf(keys.add(key!));
      if (form !== undefined) return form;
    }
    return undefined;
  }
}

function formOf(keys: ReadonlySet<string>): Form | undefined {
  return forms.find((form) => dialectOf(form).keys.every((key) => keys.has(key)));
}
