import {
  type Document,
  isMap,
  isScalar,
  type Node,
  parseDocument,
  Scalar,
  visit,
  YAMLMap,
  type YAMLSeq,
} from 'yaml';
import { DefinitionError } from '../../errors/errors.js';
import { YamlBoundsError, yamlTokens } from '../../files/yaml-tokens.js';
import type { SourceFile } from '../../plan/source.js';
import { loadStepsWorkflow } from '../steps/load-workflow.js';
import { pathOf } from './migrate-node.js';
import { StepsMigration } from './migrate-steps.js';
import { type Decision, type MigrateOptions, Migration } from './migration.js';
import { readStepIds, renameVars } from './rename-vars.js';
import { checkTextReaders } from './text-readers.js';
import {
  addCommentBefore,
  type Entry,
  entriesOf,
  entry,
  entryOf,
  inlineMapOf,
  keyOf,
  mapOf,
  renamed,
  textOf,
} from './yaml-nodes.js';

export interface MigratedWorkflow {
  /** The workflow of version 2. */
  text: string;
  /** What a person must look at, with places in the file of version 1. */
  decisions: readonly Decision[];
  /** What the reader of version 2 still refuses, with places in `text`. Empty when the file is done. */
  remaining: ReturnType<typeof loadStepsWorkflow>['diagnostics'];
}

/**
 * Rewrites a workflow of version 1 as version 2, by the table of the specification. Comments stay with what they were
 * written at; aliases are written out. Throws a `DefinitionError` for a file that is no YAML mapping (code
 * `definition_invalid`), or no file of version 1 (code `not_version_1`). Source: steps seed, バージョン 1 からの移行.
 */
export function migrateWorkflow(source: SourceFile, options: MigrateOptions): MigratedWorkflow {
  const document = parse(source);
  const root = document.contents as unknown as YAMLMap;
  writeOutAliases(document);
  const schemas = entryOf(root, 'json_schemas')?.value;
  const names = new Set(isMap(schemas) ? entriesOf(schemas).map(keyOf) : []);
  const migration = new Migration(source, options, names, readStepIds(root));
  const migrated = migrateRoot(root, migration);
  document.contents = migrated as never;
  const written = textOfDocument(document);
  const text = source.text.includes('\r\n') ? written.replace(/\r?\n/g, '\r\n') : written;
  const { diagnostics } = loadStepsWorkflow({ file: source.file, text }, { directory: options.directory });
  return {
    text,
    decisions: migration.decisions,
    remaining: diagnostics.filter(({ severity }) => severity === 'error'),
  };
}

function parse(source: SourceFile): Document {
  try {
    yamlTokens(source.text);
  } catch (error) {
    if (!(error instanceof YamlBoundsError)) throw error;
    throw refused('definition_invalid', `${source.file} cannot be migrated: ${error.message}`);
  }
  const document = parseDocument(source.text, { version: '1.2', schema: 'core', merge: false });
  const [error] = document.errors;
  if (error !== undefined) throw refused('definition_invalid', `${source.file} is no YAML: ${error.message}`);
  const root = document.contents;
  if (!isMap(root)) throw refused('definition_invalid', `${source.file} is no mapping`);
  const version = entryOf(root, 'version')?.value;
  const isOne = isScalar(version) && version.value === 1;
  if (entryOf(root, 'nodes') === undefined && !isOne) {
    throw refused(
      'not_version_1',
      `${source.file} is no workflow of version 1: it has neither nodes: nor version: 1`,
    );
  }
  return document;
}

/** YAML as people write it: `{ a: 1 }` with spaces, `[a, b]` without. */
function textOfDocument(document: Document): string {
  const padded = (node: YAMLMap | YAMLSeq, padding: string) => {
    const print = node.toString;
    node.toString = function (this: YAMLMap & YAMLSeq, context, ...rest) {
      return print.call(this, context && { ...context, flowCollectionPadding: padding }, ...rest);
    };
  };
  visit(document, { Map: (_, map) => padded(map, ' '), Seq: (_, list) => padded(list, '') });
  return document.toString({ lineWidth: 0 });
}

function refused(code: string, message: string): DefinitionError {
  return new DefinitionError({ code, message, diagnostics: [] });
}

/** A node that is written into several steps cannot keep its anchors. */
function writeOutAliases(document: Document): void {
  const anchors = new Set<Node>();
  visit(document, {
    Alias: (_, alias) => {
      const target = alias.resolve(document);
      if (target === undefined) return undefined;
      anchors.add(target);
      const copy = target.clone() as typeof target;
      delete copy.anchor;
      return copy;
    },
  });
  for (const node of anchors) delete (node as { anchor?: string }).anchor;
}

function migrateRoot(root: YAMLMap, migration: Migration): YAMLMap {
  const definitions = entryOf(root, 'nodes')?.value;
  const nodes = new Map(isMap(definitions) ? entriesOf(definitions).map((each) => [keyOf(each), each]) : []);
  const [first] = nodes.values();
  if (first !== undefined) addCommentBefore(first.key, (definitions as YAMLMap).commentBefore);
  const steps = new StepsMigration(nodes, migration);
  const result = new YAMLMap();
  const { comment, commentBefore, spaceBefore } = root;
  Object.assign(result, { comment, commentBefore, spaceBefore });
  let pending: string | null | undefined;
  for (const each of entriesOf(root)) {
    if (keyOf(each) === 'nodes') {
      pending = each.key.commentBefore;
      continue;
    }
    const migrated = topLevel(each, steps, migration);
    if (migrated[0] !== undefined) addCommentBefore(migrated[0].key, pending);
    pending = undefined;
    result.items.push(...migrated);
  }
  for (const name of steps.unused) {
    migration.decide(nodes.get(name)!.key, `no step uses node '${name}': it is left out`);
  }
  declareInputs(result, migration);
  checkTextReaders(entryOf(result, 'steps')?.value, migration, true);
  return result;
}

function topLevel(each: Entry, steps: StepsMigration, migration: Migration): Entry[] {
  const { value } = each;
  switch (keyOf(each)) {
    case 'version':
      return [entry('version', 2)];
    case 'steps': {
      const list = renamed(each, 'steps');
      list.value = steps.list(value);
      return [list];
    }
    case 'json_schemas': {
      const result = renamed(each, 'schemas');
      if (isMap(value)) for (const schema of entriesOf(value)) schema.value = schemaOf(schema, migration);
      return [result];
    }
    case 'default':
      return isMap(value) ? defaults(each, value) : [each];
    case 'vars':
      return [renamed(each, 'inputs')];
    default:
      return [each];
  }
}

/** `{ schema: … }` and `{ file_path: … }` were around every schema. */
function schemaOf({ value }: Entry, migration: Migration): Node | null {
  if (!isMap(value)) return value;
  const body = entryOf(value, 'schema');
  if (body !== undefined) return body.value;
  const file = entryOf(value, 'file_path');
  const written = textOf(file?.value);
  return written === undefined
    ? value
    : inlineMapOf(entry('file', pathOf(written, value, 'schema', migration)));
}

function defaults(each: Entry, map: YAMLMap): Entry[] {
  const timeout = entryOf(map, 'workflow_timeout');
  const kept = entriesOf(map).filter((field) => field !== timeout);
  const result = renamed(each, 'default');
  const value = mapOf(
    ...kept.map((field) => (keyOf(field) === 'system_prompt' ? renamed(field, 'system') : field)),
  );
  const { comment, commentBefore, flow } = map;
  result.value = Object.assign(value, { comment, commentBefore, flow });
  return [
    ...(timeout === undefined ? [] : [renamed(timeout, 'timeout')]),
    ...(kept.length === 0 ? [] : [result]),
  ];
}

/** Variables of the command line are inputs now, and inputs are declared. */
function declareInputs(root: YAMLMap, migration: Migration): void {
  const places = entriesOf(root).filter((each) => !['inputs', 'schemas', 'models'].includes(keyOf(each)));
  const names = renameVars(
    places.map(({ value }) => value),
    migration,
  );
  if (names.length === 0) return;
  const declared = entryOf(root, 'inputs')?.value;
  const known = new Set(isMap(declared) ? entriesOf(declared).map(keyOf) : []);
  const missing = names.filter((name) => !known.has(name));
  if (missing.length === 0) return;
  migration.decide(
    undefined,
    `--var ${missing[0]}=… is --input ${missing[0]}=… now: ${missing.join(', ')} declared as required text; check types and defaults under inputs:`,
  );
  const entries = missing.map((name) => entry(name, new Scalar('string')));
  if (isMap(declared)) declared.items.push(...entries);
  else {
    const steps = root.items.findIndex((each) => keyOf(each as Entry) === 'steps');
    root.items.splice(Math.max(steps, 0), 0, entry('inputs', mapOf(...entries)));
  }
}
