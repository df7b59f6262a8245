import { closeSync, mkdirSync, openSync, writeSync } from 'node:fs';
import { dirname } from 'node:path';
import { LaitError } from '../../errors/lait-error.js';
import { recordedOperations, type Span, type TraceLine } from './span.js';
import type { OpenSpan } from './trace-recorder.js';

/** A trace file under way: JSON Lines, each written when what it tells of has ended. Source: steps facts §20. */
export class TraceFile {
  #file: number | undefined;
  #seq = 0;

  /** Creates the file and its directories. Throws a `LaitError` (code `file_unwritable`). */
  constructor(
    path: string,
    private readonly onWarning: (message: string) => void,
  ) {
    try {
      mkdirSync(dirname(path), { recursive: true });
      this.#file = openSync(path, 'w', 0o600);
    } catch (error) {
      const { message } = error as Error;
      throw new LaitError({
        code: 'file_unwritable',
        message: `cannot write the trace file ${path}: ${message}`,
      });
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
