import type { JsonObject } from '../../values/value.js';

/** A definition as it is kept. */
export interface StoredDefinition {
  id: string;
  /** Whatever was stored; it is checked again when it is read. */
  definition: unknown;
}

/** Keeps registered definitions, so that they come back at the next start. */
export interface DefinitionStore {
  /** Stores definitions in place of earlier ones with the same ids: all of them, or none. */
  save(definitions: readonly { id: string; definition: JsonObject }[]): Promise<void>;
  /** Removes a definition; an unknown id is no error. */
  remove(id: string): Promise<void>;
  list(): Promise<readonly StoredDefinition[]>;
}
