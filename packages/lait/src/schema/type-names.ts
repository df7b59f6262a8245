/** The types that JSON Schema knows. */
export const typeNames = ['string', 'number', 'integer', 'boolean', 'object', 'array', 'null'] as const;

/** True for a type that JSON Schema knows. */
export function isTypeName(name: unknown): boolean {
  return (typeNames as readonly unknown[]).includes(name);
}
