import { preview, printable } from '../../observe/printable.js';
import type { JsonObject } from '../../values/value.js';
import type { CommandContext } from '../command-context.js';
import { tableText } from '../print-table.js';
import { RecordedRuns, type StoreOptions } from './recorded-runs.js';

export interface EventsOptions extends StoreOptions {
  /** Only entries behind this number. */
  after?: number;
  json?: true;
}

/** An entry of a log as the HTTP API names its members. */
export interface ShownEvent {
  seq: number;
  at: string;
  type: string;
  payload: JsonObject;
}

/** `lait runs events`: the log of a run, numbered without gaps. */
export async function showEvents(
  name: string,
  { after, json, ...options }: EventsOptions,
  context: CommandContext,
): Promise<void> {
  const records = await RecordedRuns.of(context, options, 'show');
  try {
    const { run_id: runId } = await records.find(name);
    const events = await (await records.store()).events(runId, { ...(after !== undefined && { after }) });
    if (json === true) await context.output.writeJson(events.map(({ key: _key, ...event }) => event));
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

/** An entry of a run's log as a row for people: number, time, type, node, and what else is known. */
export function eventRow({ seq, at, type, payload }: ShownEvent): string[] {
  const { node_id, loop_node_id, ...rest } = payload;
  const node = node_id ?? loop_node_id;
  const about = Object.entries(rest)
    .filter(([name, value]) => value !== null && name !== 'activation_id')
    .map(([name, value]) => `${name}=${typeof value === 'string' ? value : JSON.stringify(value)}`);
  return [
    String(seq),
    at,
    type,
    typeof node === 'string' ? printable(node) : '',
    preview(about.join(' '), 120),
  ];
}
