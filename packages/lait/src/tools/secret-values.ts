import type { Variables } from './environment.js';

/** Names under which secrets are usually kept. */
const secretName = /auth|key|token|secret|passw|credential|cookie/i;

/**
 * The secrets among the values of headers or of an `env`: variables that a value refers to, and values written out,
 * when the name of the entry or of the variable speaks of a secret. They must be known to whatever masks output before
 * they are used. Source: field report FR-25.
 */
export function secretValues(settings: Readonly<Record<string, string>>, variables: Variables): string[] {
  return Object.entries(settings).flatMap(([name, text]) => {
    const references = [...text.matchAll(/\$\{([A-Za-z0-9_]+)\}/g)].map((match) => match[1]!);
    const referred = references
      .filter((variable) => secretName.test(name) || secretName.test(variable))
      .map((variable) => (Object.hasOwn(variables, variable) ? (variables[variable] ?? '') : ''));
    // Behind the scheme of an authorization stands the secret itself.
    const written = references.length === 0 && secretName.test(name) ? [text.replace(/^\w+ /, '')] : [];
    return [...referred, ...written];
  });
}
