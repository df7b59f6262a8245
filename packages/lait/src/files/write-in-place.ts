import { constants, openSync, type Stats } from 'node:fs';
import { open, stat } from 'node:fs/promises';
import { Socket } from 'node:net';
import path from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { CancelledError, StepError } from '../errors/errors.js';

/** How often we look whether a reader has opened a named pipe. */
const readerPollMilliseconds = 50;

/** Absent on Windows, where opening a file does not wait for others. */
const nonBlocking = constants.O_NONBLOCK ?? 0;

export interface WriteOptions {
  /** Where a relative path starts. */
  directory: string;
  /** Interrupts a write that does not get on, e.g. to a named pipe that nobody reads. */
  signal?: AbortSignal;
}

/**
 * Replaces the content of a file where it is: inode, permissions and the target of a symbolic link stay. A missing
 * file is created, its directory is not. Named pipes and devices are written to.
 * Source: steps seed, `write`; steps facts §10.
 *
 * @throws StepError `write_failed`; the reason of `signal`
 */
export async function writeInPlace(file: string, bytes: Buffer, options: WriteOptions): Promise<void> {
  if (file.trim() === '') throw writeFailure(file, 'the path is empty');
  if (file.includes('\0')) throw writeFailure(file, 'the path holds a NUL character');
  const { signal } = options;
  const target = path.resolve(options.directory, file);
  // `resolve` would drop the slash and write a file where a directory was meant.
  if (/[/\\]$/.test(file) && (process.platform === 'win32' || file.endsWith('/'))) {
    throw writeFailure(file, 'it names a directory');
  }
  try {
    if ((await about(target))?.isFIFO()) await writeToPipe(target, bytes, signal);
    else await replaceContent(target, bytes, signal);
  } catch (error) {
    if (signal?.aborted) throw reasonOf(signal);
    throw writeFailure(file, describe(error as NodeJS.ErrnoException, file));
  }
}

async function replaceContent(target: string, bytes: Buffer, signal: AbortSignal | undefined): Promise<void> {
  const flags = constants.O_WRONLY | constants.O_CREAT | constants.O_TRUNC | nonBlocking;
  const handle = await open(target, flags, 0o666);
  try {
    await handle.writeFile(bytes, { signal });
  } finally {
    await handle.close();
  }
}

/**
 * A pipe is opened without blocking and written through the event loop: a blocked call would hold a thread of the pool
 * that no signal reaches and that the process waits for when it exits.
 */
async function writeToPipe(target: string, bytes: Buffer, signal: AbortSignal | undefined): Promise<void> {
  const socket = new Socket({ fd: await openPipe(target, signal), readable: false, writable: true });
  const abort = () => socket.destroy(reasonOf(signal!));
  signal?.addEventListener('abort', abort, { once: true });
  try {
    if (signal?.aborted) abort();
    await new Promise<void>((resolve, reject) => {
      socket.once('error', reject);
      socket.end(bytes, resolve);
    });
  } finally {
    signal?.removeEventListener('abort', abort);
    socket.destroy();
  }
}

/** Waits for a reader: a pipe that nobody reads refuses to be opened without blocking. */
async function openPipe(target: string, signal: AbortSignal | undefined): Promise<number> {
  for (;;) {
    signal?.throwIfAborted();
    try {
      return openSync(target, constants.O_WRONLY | nonBlocking);
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== 'ENXIO') throw error;
    }
    await delay(readerPollMilliseconds, undefined, { signal });
  }
}

async function about(target: string): Promise<Stats | undefined> {
  try {
    return await stat(target);
  } catch {
    return undefined; // opening it says what is wrong
  }
}

function describe(error: NodeJS.ErrnoException, file: string): string {
  switch (error.code) {
    case 'ENOENT':
      return `the directory '${path.dirname(file)}' does not exist, and write creates no directories`;
    case 'EISDIR':
      return 'it is a directory';
    case 'ENOTDIR':
      return 'a part of its path is not a directory';
    case 'EACCES':
    case 'EPERM':
      return 'permission denied';
    case 'EROFS':
      return 'the file system is read-only';
    case 'ENOSPC':
      return 'no space left on the device; the file is incomplete';
    case 'EPIPE':
      return 'the reader of the pipe has gone';
    default:
      return error.message;
  }
}

function writeFailure(file: string, reason: string): StepError {
  return new StepError({
    code: 'write_failed',
    message: `cannot write '${file.replaceAll('\0', '\\0')}': ${reason}`,
    details: { file },
  });
}

function reasonOf(signal: AbortSignal): Error {
  return signal.reason instanceof Error ? signal.reason : new CancelledError();
}
