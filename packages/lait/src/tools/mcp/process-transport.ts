import type { ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import type { Transport } from '@modelcontextprotocol/sdk/shared/transport.js';
import type { JSONRPCMessage } from '@modelcontextprotocol/sdk/types.js';
import { StepError } from '../../errors/errors.js';
import { endOfOutput, type ProgramCall, startProcess } from '../process.js';
import { killTree, unregisterTree, untilGroupGone } from '../process-tree.js';
import { LineReader } from './line-reader.js';

/** How long a server may take to end by itself once its input is closed. */
const farewellMilliseconds = 500;
/** One message may be this long; a server that sends more without a line break is broken. */
const maxMessageBytes = 64 * 1024 * 1024;
const keptErrorBytes = 4096;

/** A message that nobody was there to read: the server has ended. */
export class NotDeliveredError extends Error {
  constructor() {
    super('the server has ended');
  }
}

export interface ProcessTransportOptions {
  /** Told about every line on the server's standard error, and about lines on standard output that are no message. */
  onLog: (line: string) => void;
  /** Turns a parsed line into a message; throws when it is none. */
  parseMessage: (value: unknown) => JSONRPCMessage;
}

/**
 * Speaks the Model Context Protocol with a program: one JSON-RPC message a line over standard input and output. Unlike
 * the transport of the SDK it starts the program in a process group of its own, so that the whole tree (`npx`, a
 * shell, workers) ends with it, and keeps what explains a crash.
 */
export class ProcessTransport implements Transport {
  onclose?: () => void;
  onerror?: (error: Error) => void;
  onmessage?: (message: JSONRPCMessage) => void;

  readonly #call: ProgramCall;
  readonly #options: ProcessTransportOptions;
  #child: ChildProcess | undefined;
  #closing: Promise<void> | undefined;
  #noise = '';
  #stderr: Buffer = Buffer.alloc(0);

  constructor(call: ProgramCall, options: ProcessTransportOptions) {
    this.#call = call;
    this.#options = options;
  }

  async start(): Promise<void> {
    const child = await startProcess(this.#call);
    if (this.#closing !== undefined) {
      await endServer(child);
      throw new StepError({ code: 'mcp_start_failed', message: 'closed while it was starting' });
    }
    this.#child = child;
    const output = new LineReader(maxMessageBytes, (line) => this.#receive(line));
    child.stdout!.on('data', (chunk: Buffer) => {
      try {
        output.add(chunk);
      } catch (error) {
        this.onerror?.(error as Error);
        void this.close();
      }
    });
    const errors = new LineReader(keptErrorBytes, (line) => this.#options.onLog(line), 'cut');
    child.stderr!.on('data', (chunk: Buffer) => {
      this.#stderr = Buffer.concat([this.#stderr, chunk]).subarray(-keptErrorBytes);
      errors.add(chunk);
    });
    for (const stream of [child.stdin!, child.stdout!, child.stderr!]) stream.on('error', () => {});
    void this.#watch(child);
  }

  send(message: JSONRPCMessage): Promise<void> {
    return new Promise((resolve, reject) => {
      const { stdin } = this.#child ?? {};
      if (stdin === null || stdin === undefined || this.#closing !== undefined || !stdin.writable) {
        reject(new NotDeliveredError());
        return;
      }
      stdin.write(`${JSON.stringify(message)}\n`, (error) =>
        error ? reject(new NotDeliveredError()) : resolve(),
      );
    });
  }

  close(): Promise<void> {
    this.#closing ??= (async () => {
      if (this.#child !== undefined) await endServer(this.#child);
      this.onclose?.();
    })();
    return this.#closing;
  }

  /** How the server ended and what it said last; empty while there is nothing to say. */
  get obituary(): string {
    const child = this.#child;
    const ending =
      child === undefined || (child.exitCode === null && child.signalCode === null)
        ? []
        : [`it ended with ${child.signalCode ?? `status ${child.exitCode}`}`];
    const errors = endOfOutput(this.#stderr, 2000);
    return [
      ...ending,
      ...(this.#noise === '' ? [] : [`it printed something that is no message: ${this.#noise}`]),
      ...(errors === '' ? [] : [`its standard error: ${errors}`]),
    ].join('; ');
  }

  #receive(line: string): void {
    if (line.trim() === '') return;
    let message: JSONRPCMessage;
    try {
      message = this.#options.parseMessage(JSON.parse(line));
    } catch {
      // Servers print banners and debug output where only messages belong; the protocol survives that.
      this.#noise = endOfOutput(Buffer.from(line), 200);
      this.#options.onLog(`not a message on standard output: ${this.#noise}`);
      return;
    }
    this.onmessage?.(message);
  }

  /** The connection is over when the output ends, or when nothing of the program is left that could write to it. */
  async #watch(child: ChildProcess): Promise<void> {
    const over = new AbortController();
    await Promise.race([
      once(child.stdout!, 'close'),
      exit(child, over.signal).then(() => untilGroupGone(child.pid!, over.signal)),
    ]);
    over.abort();
    await this.close();
  }
}

/** Closes the server's input, waits a moment, and ends what is left of its process tree. */
async function endServer(child: ChildProcess): Promise<void> {
  child.stdin!.end();
  await exit(child, AbortSignal.timeout(farewellMilliseconds));
  await killTree(child.pid!);
  for (const stream of [child.stdin!, child.stdout!, child.stderr!]) stream.destroy();
  unregisterTree(child.pid!);
}

/** Resolves when the process has ended or the signal fires. */
async function exit(child: ChildProcess, signal: AbortSignal): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return;
  await once(child, 'exit', { signal }).catch(() => {});
}
