import { existsSync } from 'node:fs';
import { type FileHandle, open } from 'node:fs/promises';
import { faultPoint } from '../../../engine/fault-point.js';
import { isLaitError, LaitError } from '../../../errors/lait-error.js';
import { replaceFile } from '../../../files/replace-file.js';
import { unwritable } from '../../../files/unwritable.js';
import { isObject, type JsonValue } from '../../../values/value.js';

/** The format that this version writes and reads. */
const format = 1;
/** A file that nobody writes to is closed after so many milliseconds. */
const idleMs = 1000;

export interface JsonLinesOptions {
  path: string;
  runId: string;
  /** Where the first line is written before the file has its name. */
  temporary: string;
}

/**
 * A file of JSON values, one a line, that only grows. A line that a crash cut off was never confirmed to anybody: readers
 * leave it out, and the next writer removes it. Every other damage is refused and left as it is. Throws a `LaitError`:
 * `file_damaged`, `file_newer`, `file_unreadable`, `file_unwritable`.
 */
export class JsonLines {
  /** Bytes of whole lines that were read or written. */
  #size = 0;
  #lines = 0;
  #handle: FileHandle | undefined;
  #idle: NodeJS.Timeout | undefined;
  #broken: unknown;

  constructor(private readonly options: JsonLinesOptions) {}

  /** What was added since the last look; `undefined` when there is no file. */
  async refresh(): Promise<JsonValue[] | undefined> {
    const bytes = await this.#read();
    if (bytes === undefined) return undefined;
    const { path } = this.options;
    // A crash of the machine may leave zero bytes where the end was not yet written.
    let end = bytes.length;
    while (end > 0 && bytes[end - 1] === 0) end -= 1;
    const whole = bytes.subarray(0, bytes.subarray(0, end).lastIndexOf(0x0a) + 1);
    const values: JsonValue[] = [];
    for (const line of whole.toString('utf8').split('\n').slice(0, -1)) {
      const first = this.#lines === 0;
      this.#lines += 1;
      let value: JsonValue;
      try {
        value = JSON.parse(line) as JsonValue;
      } catch {
        throw damaged(path, `line ${this.#lines} is no JSON`);
      }
      if (first) this.#checkHeader(value);
      else values.push(value);
    }
    this.#size += whole.length;
    if (this.#lines === 0) throw damaged(path, 'it is empty');
    return values;
  }

  /** Adds lines behind those that were read; they are on the disk when it resolves. */
  async append(values: readonly JsonValue[]): Promise<void> {
    const { path } = this.options;
    if (this.#broken !== undefined) throw unwritable(path, this.#broken);
    const bytes = Buffer.from(values.map((value) => `${JSON.stringify(value)}\n`).join(''));
    try {
      if (this.#size === 0) await this.create();
      const handle = await this.#open();
      faultPoint('file.before-write');
      await this.#write(handle, bytes);
      faultPoint('file.before-flush');
      await handle.datasync();
    } catch (error) {
      if (isLaitError(error)) throw error;
      await this.#undo(error);
      throw unwritable(path, error);
    }
    this.#size += bytes.length;
    this.#lines += values.length;
    faultPoint('file.after-flush');
  }

  /** Closes the file; the next `append` opens it again. */
  async close(): Promise<void> {
    clearTimeout(this.#idle);
    const handle = this.#handle;
    this.#handle = undefined;
    await handle?.close();
  }

  async #read(): Promise<Buffer | undefined> {
    const { path } = this.options;
    try {
      const file = await open(path, 'r');
      try {
        const { size } = await file.stat();
        if (size < this.#size) throw damaged(path, `it had ${this.#size} bytes and has ${size} now`);
        const bytes = Buffer.alloc(size - this.#size);
        for (let read = 0; read < bytes.length; ) {
          const { bytesRead } = await file.read(bytes, read, bytes.length - read, this.#size + read);
          if (bytesRead === 0) return bytes.subarray(0, read);
          read += bytesRead;
        }
        return bytes;
      } finally {
        await file.close();
      }
    } catch (error) {
      const { code, message } = error as { code?: string; message?: string };
      if (code === 'ENOENT') return undefined;
      if (code?.startsWith('E') !== true) throw error;
      throw new LaitError({ code: 'file_unreadable', message: `cannot read ${path}: ${message}` });
    }
  }

  #checkHeader(value: JsonValue): void {
    const { path, runId } = this.options;
    if (!isObject(value) || typeof value.format !== 'number')
      throw damaged(path, 'its first line names no format');
    if (value.format > format)
      throw new LaitError({
        code: 'file_newer',
        message: `${path} was written by a newer lait (format ${value.format}, this one reads ${format}); use that version`,
      });
    if (value.run_id !== runId) throw damaged(path, `it belongs to run '${value.run_id}'`);
  }

  /** Makes the file. It appears with its first line: an empty one is damage. Throws `file_changed` when it is there. */
  async create(): Promise<void> {
    const { path, runId, temporary } = this.options;
    if (existsSync(path)) throw changed(path);
    const header = `${JSON.stringify({ format, run_id: runId })}\n`;
    await replaceFile(path, header, { temporary, makeDirectories: true, syncDirectory: true });
    this.#size = Buffer.byteLength(header);
    this.#lines = 1;
  }

  async #open(): Promise<FileHandle> {
    clearTimeout(this.#idle);
    this.#idle = setTimeout(() => void this.close().catch(() => {}), idleMs).unref();
    this.#handle ??= await open(this.options.path, 'r+');
    const { size } = await this.#handle.stat();
    if (size !== this.#size) await this.#removeTorn(this.#handle, size);
    return this.#handle;
  }

  /** Only what a crash cut off may stand behind the lines that were read. */
  async #removeTorn(handle: FileHandle, size: number): Promise<void> {
    const { path } = this.options;
    if (size < this.#size) throw damaged(path, `it had ${this.#size} bytes and has ${size} now`);
    const behind = Buffer.alloc(size - this.#size);
    await handle.read(behind, 0, behind.length, this.#size);
    if (behind.includes(0x0a)) throw changed(path);
    await handle.truncate(this.#size);
  }

  async #write(handle: FileHandle, bytes: Buffer): Promise<void> {
    for (let written = 0; written < bytes.length; ) {
      const { bytesWritten } = await handle.write(
        bytes,
        written,
        bytes.length - written,
        this.#size + written,
      );
      written += bytesWritten;
    }
  }

  /** What was written half must not be read as a line, nor be continued. */
  async #undo(error: unknown): Promise<void> {
    try {
      await this.#handle?.truncate(this.#size);
    } catch {
      this.#broken = error;
    }
  }
}

function changed(path: string): LaitError {
  return new LaitError({
    code: 'file_changed',
    message: `${path} was changed by another process meanwhile and is not written over`,
  });
}

export function damaged(path: string, reason: string): LaitError {
  return new LaitError({
    code: 'file_damaged',
    message: `${path} is damaged: ${reason}. It is left as it is; restore it from a copy, or remove the run`,
  });
}
