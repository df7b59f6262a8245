import { constants, openSync, type Stats } from 'node:fs';
import { type FileHandle, open, stat } from 'node:fs/promises';
import { Socket } from 'node:net';
import { CancelledError } from '../errors/errors.js';
import { LaitError } from '../errors/lait-error.js';

/** Every file read at run time is at most 16 MiB. Source: steps seed, そのほか. */
const maxFileBytes = 16 * 1024 * 1024;

export interface ReadFileOptions {
  signal?: AbortSignal;
  /** Default 16 MiB. */
  maxBytes?: number;
  /** Whether a named pipe is read to its end. Default true; commands that run nothing say false. Source: facts §22. */
  pipes?: boolean;
}

/**
 * Reads a whole file and stops at a size limit. A named pipe without a writer can be interrupted by `signal`.
 * Throws a `LaitError` with code `file_not_found`, `file_unreadable` or `file_too_large` that names the path.
 */
export async function readFileBytes(path: string, options: ReadFileOptions = {}): Promise<Buffer> {
  const { signal, maxBytes = maxFileBytes, pipes = true } = options;
  if (signal?.aborted) throw cancelled(signal);
  let about: Stats;
  try {
    about = await stat(path);
  } catch (error) {
    throw unreadable(path, error);
  }
  if (about.isDirectory()) throw unreadable(path, 'it is a directory');
  if (about.isFIFO()) {
    if (!pipes) throw unreadable(path, 'it is a named pipe, not a regular file');
    return readPipe(path, maxBytes, signal);
  }
  if (about.isSocket()) throw unreadable(path, 'it is a socket');
  if (about.size > maxBytes) throw tooLarge(path, maxBytes);
  let handle: FileHandle | undefined;
  try {
    handle = await open(path, constants.O_RDONLY);
    return await readHandle(handle, path, maxBytes, signal);
  } catch (error) {
    if (error instanceof LaitError) throw error;
    throw unreadable(path, error);
  } finally {
    await handle?.close();
  }
}

/** Reads a UTF-8 text file; a byte order mark is dropped. Also throws `file_not_utf8`. */
export async function readTextFile(path: string, options: ReadFileOptions = {}): Promise<string> {
  return decodeText(await readFileBytes(path, options), path);
}

/** Decodes UTF-8 strictly; `name` says what is wrong in the error (code `file_not_utf8`). */
export function decodeText(bytes: Uint8Array, name: string): string {
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(bytes);
  } catch {
    throw new LaitError({
      code: 'file_not_utf8',
      message: `${name} is not valid UTF-8 text: ${whyNoText(bytes)}`,
    });
  }
}

/** What people can look for in bytes that are no UTF-8. */
function whyNoText(bytes: Uint8Array): string {
  if ((bytes[0] === 0xff && bytes[1] === 0xfe) || (bytes[0] === 0xfe && bytes[1] === 0xff))
    return 'it is UTF-16; save it as UTF-8';
  const decoder = new TextDecoder('utf-8', { fatal: true });
  for (let line = 1, start = 0; ; line += 1) {
    const found = bytes.indexOf(0x0a, start);
    const end = found < 0 ? bytes.length : found;
    try {
      decoder.decode(bytes.subarray(start, end));
    } catch {
      return `line ${line} holds other bytes; save it as UTF-8`;
    }
    start = end + 1;
    if (found < 0) return 'save it as UTF-8';
  }
}

async function readHandle(
  handle: FileHandle,
  path: string,
  maxBytes: number,
  signal: AbortSignal | undefined,
): Promise<Buffer> {
  const chunks: Buffer[] = [];
  let total = 0;
  for (;;) {
    if (signal?.aborted) throw cancelled(signal);
    const { bytesRead, buffer } = await handle.read(Buffer.allocUnsafe(256 * 1024));
    if (bytesRead === 0) return Buffer.concat(chunks, total);
    total += bytesRead;
    if (total > maxBytes) throw tooLarge(path, maxBytes);
    chunks.push(buffer.subarray(0, bytesRead));
  }
}

/**
 * A pipe is opened without blocking and read through the event loop: a blocked `open` would hold a thread of the
 * pool, which the process waits for even when it exits.
 */
async function readPipe(path: string, maxBytes: number, signal: AbortSignal | undefined): Promise<Buffer> {
  let socket: Socket;
  try {
    const fd = openSync(path, constants.O_RDONLY | constants.O_NONBLOCK);
    socket = new Socket({ fd, readable: true, writable: false });
  } catch (error) {
    throw unreadable(path, error);
  }
  const abort = () => socket.destroy(cancelled(signal!));
  signal?.addEventListener('abort', abort, { once: true });
  // It may have been aborted while the file was looked at.
  if (signal?.aborted) abort();
  try {
    return await collect(socket, path, maxBytes);
  } catch (error) {
    throw error instanceof LaitError ? error : unreadable(path, error);
  } finally {
    signal?.removeEventListener('abort', abort);
    socket.destroy();
  }
}

/** Reads a stream to its end, up to `maxBytes`. Throws `file_too_large` naming `name`. */
export async function collect(
  stream: AsyncIterable<Uint8Array>,
  name: string,
  maxBytes: number,
): Promise<Buffer> {
  const chunks: Uint8Array[] = [];
  let total = 0;
  for await (const chunk of stream) {
    total += chunk.length;
    if (total > maxBytes) throw tooLarge(name, maxBytes);
    chunks.push(chunk);
  }
  return Buffer.concat(chunks, total);
}

function tooLarge(path: string, maxBytes: number): LaitError {
  const limit = maxBytes >= 1024 * 1024 ? `${Math.floor(maxBytes / (1024 * 1024))} MiB` : `${maxBytes} bytes`;
  return new LaitError({ code: 'file_too_large', message: `${path} is larger than ${limit}` });
}

const reasons: Readonly<Record<string, string>> = {
  ENOENT: 'no such file',
  ENOTDIR: 'a part of its path is not a directory',
  EACCES: 'permission denied',
  EPERM: 'permission denied',
  EISDIR: 'it is a directory',
  ELOOP: 'too many symbolic links',
  ENAMETOOLONG: 'the name is too long',
  EMFILE: 'too many open files',
  ERR_INVALID_ARG_VALUE: 'the path holds a NUL character',
};

/** The error for a path that could not be read; `reason`: the system's error, or words. */
export function unreadable(path: string, reason: unknown): LaitError {
  const code =
    typeof reason === 'object' && reason !== null ? String((reason as { code?: string }).code) : '';
  const text = typeof reason === 'string' ? reason : (reasons[code] ?? (reason as Error).message);
  return new LaitError({
    code: code === 'ENOENT' ? 'file_not_found' : 'file_unreadable',
    message: `cannot read ${path.replaceAll('\0', '\\0')}: ${text}`,
  });
}

function cancelled(signal: AbortSignal): Error {
  return signal.reason instanceof LaitError ? signal.reason : new CancelledError();
}
