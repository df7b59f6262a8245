import { expandSetVariables, variablesIn } from '../values/expand-variables.js';
import { isSecretName } from '../values/secret-name.js';
import { urlPasswords } from '../values/url-passwords.js';
import type { Variables } from './environment.js';

/**
 * Shorter values of variables that nobody mentioned are left alone: `AUTH=true` must not hide every `true`. What a
 * file hands to a program or a server is a secret from four characters on.
 */
const minimumInheritedLength = 8;

/**
 * The values of the variables of a process whose names speak of a secret, and the passwords of those that are
 * addresses. Source: field reports FR-25 and FR-26.
 */
export function inheritedSecrets(variables: Variables): string[] {
  return Object.entries(variables)
    .flatMap(([name, value = '']) => [...(isSecretName(name) ? [value] : []), ...urlPasswords(value)])
    .filter((value) => value.length >= minimumInheritedLength);
}

/** The passwords of the addresses in a configuration, wherever they stand in it. */
export function configuredPasswords(values: unknown, variables: Variables): string[] {
  if (typeof values === 'string') return urlPasswords(expandSetVariables(values, variables));
  if (typeof values !== 'object' || values === null) return [];
  return Object.values(values).flatMap((value) => configuredPasswords(value, variables));
}

/**
 * The secrets among the values of headers or of an `env`: variables that a value refers to, and values written out,
 * when the name of the entry or of the variable speaks of a secret; and passwords of addresses. They must be known to
 * whatever masks output before they are used. Source: field report FR-25.
 */
export function secretValues(settings: Readonly<Record<string, string>>, variables: Variables): string[] {
  return Object.entries(settings).flatMap(([name, text]) => {
    const references = variablesIn(text);
    const referred = references
      .filter((variable) => isSecretName(name) || isSecretName(variable))
      .map((variable) => (Object.hasOwn(variables, variable) ? (variables[variable] ?? '') : ''));
    // Behind the scheme of an authorization stands the secret itself.
    const written = references.length === 0 && isSecretName(name) ? [text.replace(/^\w+ /, '')] : [];
    return [...referred, ...written, ...urlPasswords(expandSetVariables(text, variables))];
  });
}
