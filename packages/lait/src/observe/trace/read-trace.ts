import { LaitError } from '../../errors/lait-error.js';
import { type ReadFileOptions, readTextFile } from '../../files/read-file.js';
import { isObject } from '../../values/value.js';
import type { Span, TraceLine } from './span.js';

/** A trace may be larger than a definition. */
const maxTraceBytes = 256 * 1024 * 1024;

export interface ReadTrace {
  lines: TraceLine[];
  /** Set when the last line was cut off, e.g. because the process was killed. */
  cut: boolean;
}

/**
 * Reads a trace file. A last line that was cut off is left out. Throws what `readTextFile` throws, and a `LaitError`
 * (code `trace_damaged`) that names the line for anything else that is no trace.
 */
export async function readTrace(path: string, options: ReadFileOptions = {}): Promise<ReadTrace> {
  const text = await readTextFile(path, { maxBytes: maxTraceBytes, pipes: false, ...options });
  const rows = text.split('\n');
  const last = rows.pop()!;
  const lines = rows.flatMap((row, index) => (row.trim() === '' ? [] : [readLine(row, index + 1, path)]));
  return { lines, cut: last.trim() !== '' };
}

function readLine(row: string, number: number, path: string): TraceLine {
  let line: unknown;
  try {
    line = JSON.parse(row);
  } catch {
    line = undefined;
  }
  if (isTraceLine(line)) return line;
  throw new LaitError({
    code: 'trace_damaged',
    message: `${path}, line ${number}: this is no line of a trace`,
  });
}

function isTraceLine(line: unknown): line is TraceLine {
  if (!isObject(line)) return false;
  const { operation, label, start, end, attributes, trace_id, span_id } = line;
  return (
    [operation, label, trace_id, span_id].every((value) => typeof value === 'string') &&
    [start, end].every((value) => typeof value === 'string' && !Number.isNaN(Date.parse(value))) &&
    isObject(attributes)
  );
}

/**
 * The spans of a trace file. The steps, workflows and the run around them are not in the file: they are put back, as
 * long as what they hold.
 */
export function spansOf(lines: readonly TraceLine[]): Span[] {
  const around = new Map<string, Span>();
  const spans = lines.map((line): Span => {
    const { trace_id, span_id, parent_span_id, operation, label, error, attributes } = line;
    const [start, end] = [Date.parse(line.start), Date.parse(line.end)];
    let parent: string | null = null;
    for (const ancestor of line.ancestors ?? []) {
      const known = around.get(ancestor.span_id);
      around.set(ancestor.span_id, {
        trace_id,
        parent_span_id: parent,
        attributes: {},
        ...ancestor,
        start: Math.min(start, known?.start ?? start),
        end: Math.max(end, known?.end ?? end),
      });
      parent = ancestor.span_id;
    }
    return {
      trace_id,
      span_id,
      parent_span_id: parent_span_id ?? null,
      operation,
      label,
      start,
      end,
      ...(error === undefined ? {} : { error }),
      attributes,
    };
  });
  return [...around.values(), ...spans];
}
