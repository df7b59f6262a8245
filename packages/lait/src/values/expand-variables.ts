import { LaitError } from '../errors/lait-error.js';
import { readVariable } from './read-variable.js';

/** `${NAME}`: letters, digits, underscore. */
const reference = /\$\{([A-Za-z0-9_]+)\}/g;

/** The variables that a text refers to with `${NAME}`, in order; one that stands there twice twice. */
export function variablesIn(text: string): string[] {
  return [...text.matchAll(reference)].map((match) => match[1]!);
}

/** Replaces `${NAME}` by environment variables; one that is not set by nothing. */
export function expandSetVariables(
  text: string,
  variables: Readonly<Record<string, string | undefined>>,
): string {
  return text.replace(reference, (_, name: string) => readVariable(variables, name) ?? '');
}

/**
 * Replaces `${NAME}` by environment variables. An unset variable is an error (code `variable_unset`) that names it and
 * the field, never an empty text. Source: facts §3.
 */
export function expandVariables(
  text: string,
  variables: Readonly<Record<string, string | undefined>>,
  field: string,
  platform: string = process.platform,
): string {
  return text.replace(reference, (_, name: string) => {
    const value = readVariable(variables, name, platform);
    if (value === undefined) {
      throw new LaitError({
        code: 'variable_unset',
        category: 'definition',
        message: `${field}: the environment variable ${name} is not set`,
        details: { variable: name, field },
      });
    }
    return value;
  });
}
