/**
 * The JSON of a list or object whose entries hardly change and mostly come at the end. Entries that are the same as at
 * the last call are not written again: their bytes are kept. Values count as the same when they are the same object or
 * an equal primitive, so that they must not be changed in place.
 */
export class GrowingJson {
  readonly #keys: string[] = [];
  readonly #values: unknown[] = [];
  /** Where each entry ends in the bytes. */
  readonly #ends: number[] = [];
  #bytes = Buffer.allocUnsafe(4096);

  /** The entries as `write` puts them, joined by commas, without brackets. The bytes are good until the next call. */
  bytes<T>(
    entries: Readonly<Record<string, T>> | readonly T[],
    write: (key: string, value: T) => string,
  ): Buffer {
    const record = entries as Readonly<Record<string, T>>;
    const keys = Object.keys(record);
    let same = 0;
    while (same < keys.length && this.#holds(same, keys[same]!, record[keys[same]!])) same += 1;
    this.#keys.length = this.#values.length = this.#ends.length = same;
    for (let index = same; index < keys.length; index += 1) {
      const key = keys[index]!;
      this.#append(`${index === 0 ? '' : ','}${write(key, record[key]!)}`);
      this.#keys.push(key);
      this.#values.push(record[key]);
    }
    return this.#bytes.subarray(0, this.#ends.at(-1) ?? 0);
  }

  /** Writes everything anew the next time. */
  forget(): void {
    this.#keys.length = this.#values.length = this.#ends.length = 0;
  }

  #holds(index: number, key: string, value: unknown): boolean {
    return index < this.#keys.length && this.#keys[index] === key && Object.is(this.#values[index], value);
  }

  #append(text: string): void {
    const start = this.#ends.at(-1) ?? 0;
    const end = start + Buffer.byteLength(text);
    if (end > this.#bytes.length) {
      const larger = Buffer.allocUnsafe(Math.max(end, this.#bytes.length * 2));
      this.#bytes.copy(larger, 0, 0, start);
      this.#bytes = larger;
    }
    this.#bytes.write(text, start);
    this.#ends.push(end);
  }
}
