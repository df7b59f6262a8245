import { type JsonObject, ownProperty } from '../values/value.js';

/** A text property of what a server sent; null when it is absent or something else. */
export function ownText(object: JsonObject, key: string): string | null {
  const value = ownProperty(object, key);
  return typeof value === 'string' ? value : null;
}
