import { isObject } from './value.js';
import { PartCount } from './value-size.js';

/**
 * Deep equality of JSON values by type: 1 equals 1.0, a boolean never equals a number, text is never converted,
 * and the order of keys does not count. Walks without recursion, so that deep values cannot exhaust the stack. Throws a
 * `LaitError` (code `value_too_large`).
 */
export function jsonEqual(left: unknown, right: unknown): boolean {
  const count = new PartCount();
  const pending: [unknown, unknown][] = [[left, right]];
  for (let pair = pending.pop(); pair !== undefined; pair = pending.pop()) {
    const [one, other] = pair;
    if (one === other) continue;
    count.add(1);
    if (Array.isArray(one)) {
      if (!Array.isArray(other) || one.length !== other.length) return false;
      for (let index = 0; index < one.length; index += 1) pending.push([one[index], other[index]]);
    } else if (isObject(one)) {
      if (!isObject(other)) return false;
      const keys = Object.keys(one);
      if (keys.length !== Object.keys(other).length) return false;
      for (const key of keys) {
        if (!Object.hasOwn(other, key)) return false;
        pending.push([one[key], other[key]]);
      }
    } else return false;
  }
  return true;
}
