import { LaitError } from '../errors/lait-error.js';
import { readVariable } from './read-variable.js';

/**
 * Replaces `${NAME}` (letters, digits, underscore) by environment variables. An unset variable is an error (code
 * `variable_unset`) that names it and the field, never an empty text. Source: facts §3.
 */
export function expandVariables(
  text: string,
  variables: Readonly<Record<string, string | undefined>>,
  field: string,
  platform: string = process.platform,
): string {
  return text.replace(/\$\{([A-Za-z0-9_]+)\}/g, (_, name: string) => {
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
