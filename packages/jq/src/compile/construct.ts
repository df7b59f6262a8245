import type { Range } from '../syntax/range.js';
import { getIndex } from '../values/access.js';
import { describe } from '../values/describe.js';
import type { Format } from '../values/format.js';
import type { JsonObject, JsonValue } from '../values/json.js';
import { setKey } from '../values/object.js';
import { raise } from '../values/raise.js';
import { identity, indexCode } from './access.js';
import { type Code, computed, type Direct, linkWithPaths } from './code.js';
import { Frame, type Op } from './machine.js';
import { strict } from './strict.js';

/** `[body]` */
export function arrayCode(body: Code | null): Code {
  if (body === null) return computed(() => []);
  const direct = collectDirect(body);
  const link = (next: Op): Op => {
    const append: Op = (machine) => {
      (machine.stack!.a as JsonValue[]).push(machine.value);
      return null;
    };
    const bodyOp = body.link(append);
    const finish: Op = (machine) => {
      machine.value = machine.resumed!.data as JsonValue[];
      return next;
    };
    return (machine) => {
      const items: JsonValue[] = [];
      machine.fork(finish, items);
      machine.stack = new Frame(machine.stack, items, null, null);
      return bodyOp;
    };
  };
  return {
    cardinality: 'one',
    bounded: body.bounded,
    direct,
    push: (value, path, env, emit) => {
      if (path === null) return emit(direct(value, env)!, null);
      const items: JsonValue[] = [];
      body.push(value, path, env, (item) => {
        items.push(item);
        return false;
      });
      return emit(items, path);
    },
    link: body.bounded ? linkWithPaths(direct, link) : link,
  };
}

function collectDirect(body: Code): Direct {
  const single = body.direct;
  if (single !== null) {
    return (value, env) => {
      const item = single(value, env);
      return item === undefined ? [] : [item];
    };
  }
  return (value, env) => {
    const items: JsonValue[] = [];
    const { context } = env;
    body.push(value, null, env, (item) => {
      context.step();
      items.push(item);
      return false;
    });
    return items;
  };
}

export interface EntryCode {
  readonly key: Code;
  /** Null takes the input's own value of the key. */
  readonly value: Code | null;
}

/** `{key: value, …}`; earlier entries vary slower. Keys keep the order in which they are written. */
export function objectCode(entries: readonly EntryCode[], range: Range): Code {
  if (entries.length === 0) return computed(() => ({}));
  const operands = entries.flatMap(({ key, value }) => [key, value ?? ownValueOf(key, range)]);
  const code = strict(
    operands,
    (values, context) => {
      const object: JsonObject = {};
      for (let index = 0; index < entries.length; index++) {
        const key = values[index * 2]!;
        if (typeof key !== 'string') return raise(`Cannot use ${describe(key)} as object key`);
        const value = values[index * 2 + 1]!;
        const { value: code, key: keyCode } = entries[index]!;
        const isOpen = code === null && keyCode.constant === undefined;
        setKey(object, key, isOpen ? getIndex(value, key, context) : value);
      }
      return object;
    },
    range,
    false,
  );
  const direct = fixedKeysDirect(entries);
  if (direct === null) return code;
  const fast = computed(direct, code.cardinality as 'one' | 'optional');
  return code.bounded ? fast : { ...fast, bounded: false, link: code.link };
}

/** The input's value of a constant key; for other keys the input, to be asked when the key is known. */
function ownValueOf(key: Code, range: Range): Code {
  return key.constant === undefined ? identity : indexCode(identity, key, range);
}

/** Construction with constant keys and values that have at most one output. */
function fixedKeysDirect(entries: readonly EntryCode[]): Direct | null {
  const names: string[] = [];
  const values: Direct[] = [];
  for (const { key, value } of entries) {
    const name = key.constant?.value;
    if (typeof name !== 'string' || name === '__proto__') return null;
    if (value !== null && value.direct === null) return null;
    names.push(name);
    values.push(value === null ? (input, { context }) => getIndex(input, name, context) : value.direct!);
  }
  return (input, env) => {
    const object: JsonObject = {};
    for (let index = 0; index < names.length; index++) {
      const value = values[index]!(input, env);
      if (value === undefined) return undefined;
      object[names[index]!] = value;
    }
    return object;
  };
}

/** `"…\(part)…"`: text between texts; later parts vary slower. */
export function templateCode(
  texts: readonly string[],
  parts: readonly Code[],
  format: Format,
  range: Range,
): Code {
  const count = parts.length;
  return strict(
    [...parts].reverse(),
    (values, context) => {
      let text = texts[0]!;
      for (let index = 0; index < count; index++) {
        text += format(values[count - 1 - index]!, context) + texts[index + 1]!;
      }
      return text;
    },
    range,
  );
}
