import { type ChildProcess, spawn as spawnProcess } from 'node:child_process';
import { once } from 'node:events';
import { statSync } from 'node:fs';
import path from 'node:path';
import type { Readable } from 'node:stream';
import { CancelledError, StepError } from '../errors/errors.js';
import { encodeUtf8 } from '../values/utf8.js';
import { effectMark } from './environment.js';
import { killTree, registerTree, unregisterTree, untilGroupGone } from './process-tree.js';
import { isPath, locateProgram } from './program.js';

/** Bytes that are kept of each output stream before a program is stopped: 16 MiB. Source: steps seed, `run`. */
const defaultMaxStreamBytes = 16 * 1024 * 1024;

/** A program with its surroundings. No shell is involved. */
export interface ProgramCall {
  /** The program and its arguments, each handed over as it is. */
  command: readonly string[];
  /** All that the program sees. */
  environment: Readonly<Record<string, string | undefined>>;
  /** Where a program given by a relative path, and a relative `workingDirectory`, start from. */
  baseDirectory: string;
  /** Where the program runs. Default `baseDirectory`. */
  workingDirectory?: string;
}

export interface RunOptions {
  /** Handed to standard input, which is then closed. A program that does not read it is no error. */
  stdin?: string;
  /** Ends the whole process tree; `runProcess` then throws the signal's reason. */
  signal?: AbortSignal;
  /** Default 16 MiB a stream. */
  maxStreamBytes?: number;
  /** Told when processes of a cancelled tree could not be ended. */
  onSurvivors?: (pids: readonly number[]) => void;
}

/** How a program ended and what it printed. */
export interface ProcessResult {
  stdout: Buffer;
  stderr: Buffer;
  /** `null` when a signal ended it. */
  exitCode: number | null;
  signal: NodeJS.Signals | null;
}

/**
 * Runs a program to its end. It gets a process group of its own; on cancellation and when it prints too much the whole
 * tree is ended and awaited. Background processes that keep the output open are waited for as long as they stay in the
 * group; those that left it are not.
 *
 * @throws StepError `program_*`, `working_directory_missing`, `output_too_large`; the reason of `signal`
 */
export async function runProcess(call: ProgramCall, options: RunOptions = {}): Promise<ProcessResult> {
  const { signal, maxStreamBytes = defaultMaxStreamBytes } = options;
  const input = encodeUtf8(options.stdin ?? '', 'standard input');
  if (signal?.aborted) throw reasonOf(signal);
  const child = await startProcess(call);
  const leader = child.pid!;

  let failure: { reason: unknown; killed: Promise<number[]> } | undefined;
  const stopped = deferred();
  const stop = (reason: unknown) => {
    if (failure !== undefined) return;
    failure = { reason, killed: killTree(leader, effectMark(call.environment)) };
    stopped.resolve();
  };
  const onAbort = () => stop(reasonOf(signal!));
  signal?.addEventListener('abort', onAbort, { once: true });
  if (signal?.aborted) onAbort();

  const exited = once(child, 'exit') as Promise<[number | null, NodeJS.Signals | null]>;
  const tooLarge = (stream: string) => () =>
    stop(
      new StepError({
        code: 'output_too_large',
        message: `'${call.command[0]}' printed more than ${maxStreamBytes} bytes to ${stream} and was stopped`,
      }),
    );
  const stdout = collect(child.stdout!, maxStreamBytes, tooLarge('standard output'));
  const stderr = collect(child.stderr!, maxStreamBytes, tooLarge('standard error'));
  // A program may end without reading its input: the closed pipe is its decision.
  child.stdin!.on('error', () => {});
  child.stdin!.end(input);

  try {
    await Promise.race([exited, stopped.promise]);
    await Promise.race([
      Promise.all([stdout.closed, stderr.closed]),
      untilGroupGone(leader, stopped.signal),
      stopped.promise,
    ]);
    if (failure !== undefined) {
      const survivors = await failure.killed;
      if (survivors.length > 0) options.onSurvivors?.(survivors);
      throw failure.reason;
    }
    const [exitCode, exitSignal] = await exited;
    return { stdout: stdout.bytes(), stderr: stderr.bytes(), exitCode, signal: exitSignal };
  } finally {
    stopped.resolve();
    signal?.removeEventListener('abort', onAbort);
    child.stdin!.destroy();
    child.stdout!.destroy();
    child.stderr!.destroy();
    unregisterTree(leader);
  }
}

/**
 * Starts a program in a process group of its own with all three streams piped, and registers the group so that it
 * cannot outlive this process. The caller consumes the streams.
 */
export async function startProcess(call: ProgramCall): Promise<ChildProcess> {
  const [program, ...arguments_] = call.command;
  if (program === undefined || program.trim() === '') {
    throw new StepError({
      code: 'program_blank',
      message: 'the program to run is empty; its name or path comes first',
    });
  }
  const directory = path.resolve(call.baseDirectory, call.workingDirectory ?? '.');
  checkStrings(call, directory);
  if (!statSync(directory, { throwIfNoEntry: false })?.isDirectory()) {
    throw new StepError({
      code: 'working_directory_missing',
      message: `cannot run '${program}': its working directory '${directory}' does not exist or is no directory`,
    });
  }
  const file = locateProgram(program, { directory: call.baseDirectory, environment: call.environment });
  if (file === undefined) throw programMissing(program, call);
  const spawn = await spawnFunction();
  let child: ChildProcess;
  try {
    child = spawn(file, arguments_, {
      argv0: program,
      cwd: directory,
      env: call.environment,
      stdio: 'pipe',
      // On Windows `detached` would open a console window; taskkill finds the tree there.
      detached: process.platform !== 'win32',
      windowsHide: true,
    });
    await once(child, 'spawn');
  } catch (cause) {
    throw startFailure(program, cause as NodeJS.ErrnoException);
  }
  registerTree(child.pid!);
  return child;
}

/** The error of a program that did not end with status 0; carries what it printed to standard error. */
export function processFailure(program: string, result: ProcessResult): StepError {
  const ending =
    result.signal === null ? `ended with status ${result.exitCode}` : `was ended by ${result.signal}`;
  const message = endOfOutput(result.stderr);
  return new StepError({
    code: 'program_failed',
    message: `'${program}' ${ending}${message === '' ? ' and printed nothing to standard error' : `: ${message}`}`,
    details: { exitCode: result.exitCode, signal: result.signal },
  });
}

/**
 * What a program printed, fit for a message: decoded leniently, without terminal controls, and of long text the end,
 * where the reason usually stands.
 */
export function endOfOutput(bytes: Buffer, limit = 4096): string {
  const start = Math.max(0, bytes.length - limit);
  const text = bytes
    .subarray(start)
    .toString('utf8')
    // biome-ignore lint/suspicious/noControlCharactersInRegex: what a program prints must not steer the terminal
    .replace(/\u001b(?:\[[0-?]*[ -/]*[@-~]|\][^\u0007\u001b]*(?:\u0007|\u001b\\)?|[@-Z\\-_])/g, '')
    // biome-ignore lint/suspicious/noControlCharactersInRegex: as above
    .replace(/[\u0000-\u0008\u000b-\u001f\u007f-\u009f]/g, '')
    .trim();
  return start > 0 ? `[${start} bytes left out] ${text}` : text;
}

function collect(stream: Readable, limit: number, onOverflow: () => void) {
  const chunks: Buffer[] = [];
  let size = 0;
  stream.on('data', (chunk: Buffer) => {
    size += chunk.length;
    if (size <= limit) chunks.push(chunk);
    else {
      chunks.length = 0;
      onOverflow();
    }
  });
  stream.on('error', () => {});
  return {
    closed: new Promise<void>((resolve) => stream.once('close', () => resolve())),
    bytes: () => Buffer.concat(chunks),
  };
}

function deferred() {
  const controller = new AbortController();
  const promise = new Promise<void>((resolve) => {
    controller.signal.addEventListener('abort', () => resolve(), { once: true });
  });
  return { promise, signal: controller.signal, resolve: () => controller.abort() };
}

function reasonOf(signal: AbortSignal): Error {
  return signal.reason instanceof Error ? signal.reason : new CancelledError();
}

/** `.cmd` files such as `npx` need quoting rules of their own on Windows; a library knows them. */
async function spawnFunction(): Promise<typeof spawnProcess> {
  if (process.platform !== 'win32') return spawnProcess;
  return (await import('cross-spawn')).default as unknown as typeof spawnProcess;
}

function checkStrings(call: ProgramCall, directory: string): void {
  const refuse = (what: string) => {
    throw new StepError({ code: 'program_not_started', message: `cannot run '${call.command[0]}': ${what}` });
  };
  for (const [index, argument] of call.command.entries()) {
    if (argument.includes('\0')) refuse(`argument ${index} holds a NUL byte, which no program can receive`);
    if (!argument.isWellFormed()) encodeUtf8(argument, `argument ${index} of '${call.command[0]}'`);
  }
  if (directory.includes('\0')) refuse('the working directory holds a NUL byte');
  for (const [name, value] of Object.entries(call.environment)) {
    if (name === '' || name.includes('=', 1) || name.includes('\0'))
      refuse(`'${name.replaceAll('\0', '\\0')}' is no name for a variable`);
    if (value?.includes('\0')) refuse(`the variable ${name} holds a NUL byte`);
  }
}

function programMissing(program: string, call: ProgramCall): StepError {
  const hasPath = Object.keys(call.environment).some((name) => name.toUpperCase() === 'PATH');
  const reason = isPath(program)
    ? `there is no executable file of that name (looked in '${call.baseDirectory}')`
    : hasPath
      ? 'it was not found in PATH'
      : 'its environment has no PATH to search; list PATH under env or give the path of the program';
  return new StepError({
    code: 'program_not_found',
    message: `cannot run '${program}': ${reason}`,
    details: { program },
  });
}

function startFailure(program: string, cause: NodeJS.ErrnoException): StepError {
  const reasons: Record<string, string> = {
    ENOENT: 'the interpreter named in its first line does not exist',
    EACCES: 'it may not be executed',
    E2BIG: 'its arguments and environment are too long; hand large text over by standard input',
  };
  const reason = (cause.code !== undefined && reasons[cause.code]) || cause.message;
  return new StepError({ code: 'program_not_started', message: `cannot run '${program}': ${reason}` });
}
