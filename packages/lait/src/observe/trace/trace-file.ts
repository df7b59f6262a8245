import { closeSync, openSync, writeSync } from 'node:fs';
import { dirname } from 'node:path';
import { makeDirectory } from '../../files/make-directory.js';
import { unwritable } from '../../files/unwritable.js';
import { recordedOperations, type Span, type TraceLine } from './span.js';
import type { OpenSpan } from './trace-recorder.js';

/** A trace file under way: JSON Lines, each written when what it tells of has ended. Source: steps facts §20. */
export class TraceFile {
  #file: number | undefined;
  #seq = 0;

  private constructor(
    file: number,
    private readonly onWarning: (message: string) => void,
  ) {
    this.#file = file;
  }

  /** Creates the file and its directories. Throws a `LaitError` (code `file_unwritable`). */
  static async create(path: string, onWarning: (message: string) => void): Promise<TraceFile> {
    try {
      await makeDirectory(dirname(path));
      return new TraceFile(openSync(path, 'w', 0o600), onWarning);
    } catch (error) {
      throw unwritable(path, error);
    }
  }

  add(span: Span, ancestors: readonly OpenSpan[]): void {
    if (this.#file === undefined || !recordedOperations.has(span.operation)) return;
    try {
      writeSync(this.#file, `${JSON.stringify(traceLine(span, this.#seq, ancestors))}\n`);
      this.#seq += 1;
    } catch (error) {
      // The run is worth more than its trace.
      this.onWarning(`the trace ends here: ${(error as Error).message}`);
      this.close();
    }
  }

  close(): void {
    if (this.#file !== undefined) closeSync(this.#file);
    this.#file = undefined;
  }
}

function traceLine(span: Span, seq: number, ancestors: readonly OpenSpan[]): TraceLine {
  const { operation, label, start, end, error, attributes, ...ids } = span;
  return {
    seq,
    operation,
    label,
    start: new Date(start).toISOString(),
    end: new Date(end).toISOString(),
    duration_ms: Math.round((end - start) * 1000) / 1000,
    ...ids,
    ancestors: ancestors.map(({ span_id, operation: kind, label: name }) => ({
      span_id,
      operation: kind,
      label: name,
    })),
    ...(error === undefined ? {} : { error }),
    attributes,
  };
}
