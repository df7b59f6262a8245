import { SecretRegistry } from '../values/secrets.js';
import type { JsonValue } from '../values/value.js';
import { SecretReferences } from './secret-references.js';
import type { SecretCodec } from './stores/value-codec.js';

type Variables = Readonly<Record<string, string | undefined>>;

/**
 * Keeps secrets out of the records of runs: values of environment variables are stored by the names of the variables and
 * read again when a run goes on, other known secrets are masked. Source: field report FR-26.
 */
export class StoredSecrets implements SecretCodec {
  #references: SecretReferences;
  readonly #sources = new Set<string>();

  /** `sources`: texts whose `${NAME}` mark variables as worth protecting, e.g. the configuration. */
  constructor(
    private readonly variables: Variables,
    private readonly secrets: SecretRegistry = new SecretRegistry(),
    sources: readonly string[] = [],
  ) {
    this.#references = this.#referencesTo(sources);
  }

  /** Protects the variables of further texts, too: those of a workflow that is about to run. */
  protect(sources: readonly string[]): void {
    this.#references = this.#referencesTo(sources);
  }

  store(value: JsonValue): JsonValue {
    return this.#references.store(value);
  }

  restore(stored: JsonValue): JsonValue {
    return this.#references.restore(stored);
  }

  show(stored: JsonValue): JsonValue {
    return this.#references.show(stored);
  }

  /** The same for those who only look: values are never restored. */
  get forShow(): SecretCodec {
    const show = (stored: JsonValue) => this.show(stored);
    return { store: (value) => this.store(value), restore: show, show };
  }

  #referencesTo(sources: readonly string[]): SecretReferences {
    for (const source of sources) this.#sources.add(source);
    return new SecretReferences(this.variables, this.secrets, [...this.#sources]);
  }
}
