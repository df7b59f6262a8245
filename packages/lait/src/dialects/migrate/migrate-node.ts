import { isScalar, type Node, Scalar, type YAMLMap, YAMLSeq } from 'yaml';
import { mayGiveMany } from './jq-habits.js';
import type { Migration } from './migration.js';
import { type Entry, entriesOf, entry, entryOf, inlineMapOf, keyOf, renamed, textOf } from './yaml-nodes.js';

/** What became of an entry of `nodes:`. */
export interface MigratedNode {
  /** The fields of the step that takes its place. */
  fields: Entry[];
  /** What `write_file` named. */
  write?: Node;
  /** What `description` said, and comments of what is gone. */
  comment?: string;
}

type Type = 'prompt' | 'agent' | 'command' | 'transform' | 'ask' | 'workflow';

/** The field of version 2 that a field of version 1 is called, by the node's type. The others keep their names. */
const names: Readonly<Record<Type, Readonly<Record<string, string>>>> = {
  prompt: { system_prompt: 'system', jq: 'output' },
  agent: { jq: 'output' },
  command: { command: 'run', jq: 'output' },
  transform: {},
  ask: { prompt: 'ask', jq: 'output' },
  workflow: { jq: 'output' },
};

/** Turns a node into the fields of a step. Source: steps seed, バージョン 1 からの移行. */
export function migrateNode(name: string, node: YAMLMap, migration: Migration): MigratedNode {
  const type = typeOf(name, node, migration);
  if (type === undefined) return { fields: entriesOf(node) };
  const migrated: MigratedNode = { fields: [] };
  for (const each of entriesOf(node)) {
    const key = keyOf(each);
    if (key === 'type') {
      if (isScalar(each.value)) note(migrated, each.value.comment);
      continue;
    }
    if (key === 'write_file' && each.value !== null) migrated.write = each.value;
    else if (key === 'description') note(migrated, ` ${(textOf(each.value) ?? '').replaceAll('\n', '\n ')}`);
    else if (key === 'structured_output') checkStructured(each, node, migration);
    else migrated.fields.push(convert(each, key, type, node, migration));
  }
  if (type === 'prompt' && entryOf(node, 'prompt') === undefined) {
    const input = new Scalar('{{ input }}');
    input.type = 'QUOTE_DOUBLE';
    migrated.fields.unshift(entry('prompt', input));
  }
  return migrated;
}

function convert(each: Entry, key: string, type: Type, node: YAMLMap, migration: Migration): Entry {
  const result = renamed(each, Object.hasOwn(names[type], key) ? names[type][key]! : key);
  if (key === 'output_schema' || key === 'input_schema') result.value = schemaOf(each, migration);
  else if (key === 'agent') result.value = agentOf(each, migration);
  else if (key === 'command' && textOf(each.value) !== undefined) {
    const shell = new YAMLSeq();
    shell.flow = true;
    shell.items.push(new Scalar('sh'), new Scalar('-c'), each.value);
    result.value = shell;
    migration.decide(
      each.value,
      'run: is a program and its arguments; the text is handed to sh -c: write the list if no shell is needed',
    );
  } else if (key === 'jq') checkJq(each, type, node, result, migration);
  return result;
}

/** Text was read as JSON by version 1 before jq saw it. */
function checkJq(each: Entry, type: Type, node: YAMLMap, result: Entry, migration: Migration): void {
  const source = textOf(each.value);
  if (source === undefined) return;
  if (mayGiveMany(source)) {
    migration.decide(
      each.value,
      `jq must give exactly one value; '${source}' may give several or none: put it in [...], or choose one with first(...)`,
    );
  }
  const givesValues =
    type === 'workflow' || (type === 'prompt' && entryOf(node, 'output_schema') !== undefined);
  if (type === 'transform' || givesValues) return;
  result.value = new Scalar(`(. as $text | try fromjson catch $text) | ${source}`);
  migration.decide(
    each.value,
    `what comes out is text now and is read as JSON where it is JSON, as version 1 did: shorten output: to 'fromjson | ${source}' if it always is, or to '${source}' if it never is`,
  );
}

/** A name of `schemas:` stays; anything else was a path. */
function schemaOf(each: Entry, migration: Migration): Node | null {
  const written = textOf(each.value);
  if (written === undefined || migration.schemas.has(written)) return each.value;
  return inlineMapOf(entry('file', pathOf(written, each.value, 'schema', migration)));
}

/** The path of a file, from the directory of the workflow. */
export function pathOf(written: string, place: Node | null, what: string, migration: Migration): string {
  const relative = migration.fileRelative(written);
  if (relative !== undefined) return relative;
  migration.decide(
    place,
    `the ${what} file '${written}' is not there from the current directory: give its path from the directory of this file`,
  );
  return written;
}

/** Version 1 read the path from the working directory; version 2 tells a path from a name by its slash or `.md`. */
function agentOf(each: Entry, migration: Migration): Node | null {
  const written = textOf(each.value);
  if (written === undefined || (!written.includes('/') && !written.endsWith('.md'))) return each.value;
  const scalar = (each.value as Scalar).clone() as Scalar;
  scalar.value = pathOf(written, each.value, 'agent', migration);
  return scalar;
}

function checkStructured(each: Entry, node: YAMLMap, migration: Migration): void {
  const isOff = isScalar(each.value) && each.value.value === false;
  if (!isOff || entryOf(node, 'output_schema') === undefined) return;
  migration.decide(
    each.value,
    'output_schema alone asks for a structured reply now: remove it if the reply should be text',
  );
}

function note(migrated: MigratedNode, text: string | null | undefined): void {
  if (text) migrated.comment = migrated.comment === undefined ? text : `${migrated.comment}\n${text}`;
}

function typeOf(name: string, node: YAMLMap, migration: Migration): Type | undefined {
  const written = entryOf(node, 'type');
  const type = written === undefined ? impliedType(node) : textOf(written.value);
  if (type !== undefined && Object.hasOwn(names, type)) return type as Type;
  migration.decide(
    written?.value ?? node,
    `node '${name}' is of no type that version 1 knows (${Object.keys(names).join(', ')})`,
  );
  return undefined;
}

function impliedType(node: YAMLMap): string | undefined {
  const has = (key: string) => entryOf(node, key) !== undefined;
  for (const key of ['agent', 'command', 'workflow'] as const) if (has(key)) return key;
  if (has('prompt') || has('system_prompt')) return has('choices') || has('multiline') ? 'ask' : 'prompt';
  return has('jq') ? 'transform' : undefined;
}
