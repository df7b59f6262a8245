import type { NewRunEvent, RunLogEvent } from '../run-record.js';

/** What a log must know to place further entries. */
export interface LogEnd {
  runId: string;
  /** Number of the newest entry; 0 for an empty log. */
  lastSeq: number;
  keys: ReadonlySet<string>;
}

/** The events as they would stand in the log: numbered without a gap, without those whose key is there already. */
export function placedEvents(
  { runId, lastSeq, keys }: LogEnd,
  events: readonly NewRunEvent[],
): RunLogEvent[] {
  const created_at = new Date().toISOString();
  const added = new Set<string>();
  const placed: RunLogEvent[] = [];
  for (const event of events) {
    const { key } = event;
    if (key !== undefined) {
      if (keys.has(key) || added.has(key)) continue;
      added.add(key);
    }
    const seq = lastSeq + placed.length + 1;
    placed.push({ ...structuredClone(event), run_id: runId, seq, created_at });
  }
  return placed;
}
