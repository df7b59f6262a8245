import { yamlTokens } from '../../files/yaml-tokens.js';
import type { JsonValue } from '../../values/value.js';

/**
 * The value of a YAML or JSON text from outside, as JSON has it. Throws for a text that is none, that refers to itself,
 * or that is too deep or too large (`YamlBoundsError`): what the library makes of it must not end the process.
 */
export async function yamlValue(text: string): Promise<JsonValue> {
  const { parse } = await import('yaml');
  yamlTokens(text);
  const value: unknown = parse(text, { maxAliasCount: 100, uniqueKeys: true });
  return JSON.parse(JSON.stringify(value) ?? 'null') as JsonValue;
}

/** The same of a text that is stored whatever its problems; `undefined` when it is none. */
export async function storedYamlValue(text: string): Promise<JsonValue | undefined> {
  try {
    return await yamlValue(text);
  } catch {
    // What is wrong with it is told where it is checked.
    return undefined;
  }
}
