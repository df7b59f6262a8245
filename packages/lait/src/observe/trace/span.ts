import type { JsonValue } from '../../values/value.js';

/** What a span measures. `chat`, `execute_tool` and `compact` are the operations of trace files. */
export type SpanOperation = 'run' | 'workflow' | 'step' | 'chat' | 'execute_tool' | 'compact';

/** One thing that took time. Ids are those of W3C trace context: 32 and 16 hexadecimal digits. */
export interface Span {
  trace_id: string;
  span_id: string;
  parent_span_id: string | null;
  operation: SpanOperation;
  /** The step, as people see it. */
  label: string;
  /** Milliseconds since 1970. */
  start: number;
  end: number;
  /** Why it failed; absent when it went well. */
  error?: string;
  attributes: Readonly<Record<string, JsonValue>>;
}

/** One line of a trace file. Source: steps facts §20. */
export interface TraceLine extends Omit<Span, 'start' | 'end'> {
  /** Counts from 0 in the order in which things ended. */
  seq: number;
  /** ISO 8601, UTC. */
  start: string;
  end: string;
  duration_ms: number;
  /** The spans around it that are not in the file, outermost first: run, workflows, steps. */
  ancestors: readonly { span_id: string; operation: SpanOperation; label: string }[];
}

/** The operations that a trace file holds. */
export const recordedOperations: ReadonlySet<SpanOperation> = new Set(['chat', 'execute_tool', 'compact']);
