/** What names of steps, inputs, schemas, agents and branches look like. Source: steps seed, 共通フィールド; facts §6. */
export const namePattern = '^[A-Za-z_][A-Za-z0-9_-]*$';

const name = new RegExp(namePattern);

/** True for a name that steps, inputs and schemas may have; see `nameRule`. */
export function isName(text: string): boolean {
  return name.test(text);
}

export const nameRule = 'a letter from a to z or `_`, then letters, digits, `_` or `-`';
