import { preview, printable } from '../../values/printable.js';
import type { JsonObject } from '../../values/value.js';

/** An entry of a log as the HTTP API names its members. */
export interface ShownEvent {
  seq: number;
  at: string;
  type: string;
  payload: JsonObject;
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
