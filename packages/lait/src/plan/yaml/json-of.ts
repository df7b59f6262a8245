import { type JsonObject, type JsonValue, setOwnProperty } from '../../values/value.js';
import type { Problem } from '../problems.js';
import { type SourceNode, shorten } from './source-node.js';

/** The JSON value of a node. Numbers that JSON cannot hold are reported and become null. */
export function jsonOf(node: SourceNode, report: (problem: Problem) => void): JsonValue {
  if (node.type === 'list') return node.items.map((item) => jsonOf(item, report));
  if (node.type === 'map') {
    const object: JsonObject = {};
    for (const { key, value } of node.entries.values()) setOwnProperty(object, key, jsonOf(value, report));
    return object;
  }
  if (typeof node.value === 'number') {
    const { range, written, value } = node;
    if (!Number.isFinite(value)) {
      report({ code: 'wrong_type', message: `${shorten(written)} is no JSON number`, range });
      return null;
    }
    if (losesDigits(written, value)) {
      const message = `the integer ${shorten(written)} loses digits (it becomes ${value}): write it as text, in quotes`;
      report({ code: 'lossy_integer', severity: 'warning', message, range });
    }
  }
  return node.value;
}

function losesDigits(written: string, value: number): boolean {
  return /^[-+]?\d{16,}$/.test(written) && BigInt(value) !== BigInt(written.replace(/^\+/, ''));
}
