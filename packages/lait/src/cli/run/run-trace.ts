import { resolve } from 'node:path';
import type { RunEvent } from '../../engine/events.js';
import { messageChain } from '../../errors/lait-error.js';
import type { Span } from '../../observe/trace/span.js';
import { TraceFile } from '../../observe/trace/trace-file.js';
import { TraceRecorder } from '../../observe/trace/trace-recorder.js';
import type { Pricing } from '../../observe/usage-report.js';
import type { CommandContext } from '../command-context.js';
import { packageVersion } from '../version.js';

/** Flags of `lait run` that have it traced. */
export interface TraceOptions {
  traceFile?: string;
  otlp?: string;
}

/** Traces one run: into a file as things happen, and to a collector when it has ended, whatever its end. */
export class RunTrace {
  readonly #recorder: TraceRecorder;
  readonly #spans: Span[] = [];

  private constructor(
    private readonly options: TraceOptions,
    private readonly context: CommandContext,
    pricing: ReadonlyMap<string, Pricing>,
    private readonly file: TraceFile | undefined,
  ) {
    this.#recorder = new TraceRecorder({
      mask: (value) => context.secrets.maskValue(value),
      pricing,
      onSpan: (span, ancestors) => {
        file?.add(span, ancestors);
        if (options.otlp !== undefined) this.#spans.push(span);
      },
    });
  }

  /** Throws a `LaitError` (code `file_unwritable`) before anything runs. */
  static async open(
    options: TraceOptions,
    context: CommandContext,
    pricing: ReadonlyMap<string, Pricing>,
  ): Promise<RunTrace> {
    const { output, workingDirectory } = context;
    const { traceFile } = options;
    const file =
      traceFile === undefined
        ? undefined
        : await TraceFile.create(resolve(workingDirectory, traceFile), (message) => output.warning(message));
    return new RunTrace(options, context, pricing, file);
  }

  handle(event: RunEvent): void {
    this.#recorder.handle(event);
  }

  /** Never throws: a collector that cannot be reached is a warning. */
  async end(): Promise<void> {
    this.#recorder.close();
    this.file?.close();
    const { otlp } = this.options;
    if (otlp === undefined || this.#spans.length === 0) return;
    try {
      const { exportSpans } = await import('../../observe/trace/export-spans.js');
      await exportSpans(this.#spans, otlp, packageVersion());
    } catch (error) {
      this.context.output.warning(messageChain(error));
    }
  }
}
