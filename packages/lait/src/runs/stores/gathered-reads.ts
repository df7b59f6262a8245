interface Turn<T> {
  keys: Set<string>;
  found: Promise<ReadonlyMap<string, T>>;
}

/** Looks things up by their keys: what is asked for in one turn is looked up together, and fails together. */
export class GatheredReads<T> {
  #turn: Turn<T> | undefined;

  /** `load` gives the values that there are. */
  constructor(private readonly load: (keys: readonly string[]) => Promise<ReadonlyMap<string, T>>) {}

  async get(key: string): Promise<T | undefined> {
    this.#turn ??= this.#begin();
    const { keys, found } = this.#turn;
    keys.add(key);
    return (await found).get(key);
  }

  #begin(): Turn<T> {
    const keys = new Set<string>();
    const found = new Promise(setImmediate).then(() => {
      this.#turn = undefined;
      return this.load([...keys]);
    });
    return { keys, found };
  }
}
