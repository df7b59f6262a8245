import { isObject, type JsonValue } from '../../values/value.js';
import type { GraphNode } from './definition.js';
import type { GraphCheck } from './graph-check.js';

/** Forms that keys of well-known services have. */
const secretForm =
  /^(sk-[\w-]{16,}|gh[pousr]_\w{20,}|github_pat_\w{20,}|AKIA[0-9A-Z]{16}|xox[abprs]-[\w-]{10,}|AIza[\w-]{30,}|Bearer\s+\S{12,})$|-----BEGIN [A-Z ]*PRIVATE KEY-----/;
const secretName = /(^|_)(password|passwd|secret|api_?key|access_?token|auth_?token|authorization)$/i;

/** Warns of secrets written into a node: definitions are stored, shown and copied. Source: graph facts §6. */
export function checkSecrets(node: GraphNode, check: GraphCheck): void {
  const pending: { value: JsonValue; path: (string | number)[] }[] = [{ value: node.config, path: [] }];
  for (let item = pending.pop(); item !== undefined; item = pending.pop()) {
    const { value, path } = item;
    if (typeof value === 'string') {
      const name = path.at(-1);
      const named =
        typeof name === 'string' && secretName.test(name) && value.length >= 8 && !/\s/.test(value);
      if (named || secretForm.test(value)) {
        check.warn(
          node,
          'secret_literal',
          'this looks like a secret; keep it in the configuration, not in the graph',
          ...path,
        );
      }
    } else if (Array.isArray(value))
      value.forEach((child, index) => void pending.push({ value: child, path: [...path, index] }));
    else if (isObject(value)) {
      for (const [key, child] of Object.entries(value)) pending.push({ value: child, path: [...path, key] });
    }
  }
}
