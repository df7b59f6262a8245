import type { JsonValue } from '../../values/value.js';
import type { Problems } from '../problems.js';
import { jsonOf } from './json-of.js';
import { readYaml } from './read-yaml.js';

/** The JSON value of a YAML or JSON text. Everything that is wrong is added to `problems`; then there is no value. */
export function readYamlValue(problems: Problems): JsonValue | undefined {
  const root = readYaml(problems);
  const value = root && jsonOf(root, (problem) => problems.add(problem));
  return problems.errors === 0 ? value : undefined;
}
