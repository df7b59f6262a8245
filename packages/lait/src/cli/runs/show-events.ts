import { setTimeout as delay } from 'node:timers/promises';
import { UsageError } from '../../errors/errors.js';
import type { RunLogEvent } from '../../runs/run-record.js';
import { isParked, isTerminal } from '../../runs/run-status.js';
import type { JsonObject } from '../../values/value.js';
import type { CommandContext } from '../command-context.js';
import { tableText } from '../print-table.js';
import { eventRow } from './event-row.js';
import { FollowedLog } from './followed-log.js';
import { RecordedRuns, type StoreOptions } from './recorded-runs.js';
import { recordStatus } from './run-store.js';

export interface EventsOptions extends StoreOptions {
  /** Only entries behind this number. */
  after?: number;
  /** Shows entries as they come, until the run has ended or waits. */
  follow?: true;
  /** Replies while they are written: a server alone tells them. */
  tokens?: true;
  json?: true;
}

/** `lait runs events`: the log of a run, numbered without gaps. */
export async function showEvents(
  name: string,
  { after, json, follow, tokens, ...options }: EventsOptions,
  context: CommandContext,
): Promise<void> {
  if (tokens === true)
    throw new UsageError({
      code: 'options_exclude',
      message: '--tokens goes with --server and --follow: only the process that works on a run knows them',
    });
  const records = await RecordedRuns.of(context, options, 'show');
  try {
    const { run_id: runId } = await records.find(name);
    if (follow === true) return await followEvents(runId, after ?? 0, json === true, records);
    const events = await (await records.store()).events(runId, { ...(after !== undefined && { after }) });
    if (json === true) await context.output.writeJson(events.map(jsonOf));
    else
      await context.output.write(
        tableText(
          events.map(({ seq, created_at, event_type, payload }) =>
            eventRow({ seq, at: created_at, type: event_type, payload }),
          ),
        ),
      );
  } finally {
    await records.close();
  }
}

/** How often a log is looked at: other processes write it. */
const lookEveryMilliseconds = 200;

async function followEvents(
  runId: string,
  after: number,
  json: boolean,
  records: RecordedRuns,
): Promise<void> {
  const { context, options } = records;
  const store = await records.store();
  const log = new FollowedLog((text) => context.output.write(text), json);
  for (let last = after; ; ) {
    // Looked at before the log: what has ended writes no more.
    const record = await store.read(runId, 'show');
    const status = record && (await recordStatus(record, options, context));
    for (const event of await store.events(runId, { after: last })) {
      const { seq, created_at: at, event_type: type, payload } = event;
      await log.add(json ? jsonOf(event) : { seq, at, type, payload });
      last = seq;
    }
    if (status === undefined || isTerminal(status) || isParked(status)) return;
    await delay(lookEveryMilliseconds, undefined, { signal: context.signal }).catch(() => {});
    context.signal.throwIfAborted();
  }
}

/** An entry as `--json` prints it. */
function jsonOf({ key: _key, ...event }: RunLogEvent): JsonObject {
  return event as unknown as JsonObject;
}
