import { expandVariables } from '../values/expand-variables.js';

/** Environment variables by name. */
export type Variables = Readonly<Record<string, string | undefined>>;

/** The variable under which programs receive the idempotency key of the effect they belong to. Field report FR-10. */
const idempotencyKeyVariable = 'LAIT_IDEMPOTENCY_KEY';

const uuid = /^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/;

/** Expands `${VAR}` in the values of a map; `field` is followed by each name in errors. */
export function expandAll(
  values: Readonly<Record<string, string>>,
  variables: Variables,
  field: string,
): Record<string, string> {
  return Object.fromEntries(
    Object.entries(values).map(([name, value]) => [
      name,
      expandVariables(value, variables, `${field}.${name}`),
    ]),
  );
}

/**
 * What a program sees: with at least one entry `allowed` is complete, else it inherits `variables`. Either way the
 * idempotency key of the effect is at hand: inherited like the rest, or by listing
 * `LAIT_IDEMPOTENCY_KEY: ${LAIT_IDEMPOTENCY_KEY}`, for an allow-list holds nothing that its author did not write.
 * Source: steps seed, `run`; field report FR-10.
 *
 * @param field names the allow-list in errors
 */
export function programEnvironment(
  allowed: Readonly<Record<string, string>> | undefined,
  variables: Variables,
  idempotencyKey: string,
  field = 'env',
): Variables {
  const all = { ...variables, [idempotencyKeyVariable]: idempotencyKey };
  return allowed === undefined || Object.keys(allowed).length === 0 ? all : expandAll(allowed, all, field);
}

/** The entry by which processes of one effect are recognised; undefined when an allow-list leaves it out. */
export function effectMark(environment: Variables): string | undefined {
  const key = environment[idempotencyKeyVariable];
  // A text that an author wrote there himself may belong to others, too.
  return key !== undefined && uuid.test(key) ? `${idempotencyKeyVariable}=${key}` : undefined;
}
