import type { Expression } from '../../expressions/expression.js';
import type { Kind, Kinds } from '../../kinds/kind.js';
import type { FieldTable } from '../../plan/fields.js';
import type { Block, PlanNode } from '../../plan/plan.js';
import type { TextRange } from '../../plan/problems.js';
import { didYouMean } from '../../plan/suggest.js';
import type { ListNode, MapNode, SourceNode } from '../../plan/yaml/source-node.js';
import { describe } from '../../plan/yaml/source-node.js';
import type { FieldCompiler } from './compile-fields.js';
import type { Place } from './place.js';
import { retryPolicy } from './retry-policy.js';
import { commonStepFields } from './step-fields.js';
import { successorOf } from './version-1.js';

/** What is known of a step beside its node; kept until the placement rules were checked. */
export interface StepRecord {
  kind: Kind;
  /** The place of the kind key. */
  range?: TextRange;
  /** False when fields are wrong: then the kind must not be asked about them. */
  sound: boolean;
}

/** Compiles lists of steps to blocks. Shared by the file's `steps:` and everything nested in it. */
export class StepsCompiler {
  readonly records = new Map<PlanNode, StepRecord>();
  readonly #ids = new Map<string, TextRange | undefined>();
  readonly #blocks: (Block & { nodes: PlanNode[] })[] = [];
  /** Errors found inside nested blocks so far: they do not make the steps around them unsound. */
  #nestedErrors = 0;

  constructor(
    readonly kinds: Kinds,
    readonly fields: () => FieldCompiler,
  ) {}

  block(node: ListNode, path: string): Block {
    const { problems } = this.fields();
    const errors = problems.errors;
    const nested = this.#nestedErrors;
    const nodes = node.items.map((item, index) => this.#step(item, `${path}[${index}]`));
    this.#nestedErrors = nested + problems.errors - errors;
    const block = { path, nodes: nodes.filter((step) => step !== undefined) };
    this.#blocks.push(block);
    return block;
  }

  /** How many errors were found in steps. */
  get errors(): number {
    return this.#nestedErrors;
  }

  /** Takes the steps with wrong fields out of their blocks, and with them what is nested in those fields. */
  leaveOutUnsound(): void {
    for (const block of this.#blocks)
      block.nodes = block.nodes.filter((node) => this.records.get(node)!.sound);
  }

  #step(node: SourceNode, path: string): PlanNode | undefined {
    const compiler = this.fields();
    const place: Place = { field: path, block: path, path };
    if (node.type !== 'map') {
      const message = `a step must be a mapping such as \`- jq: .\`, not ${describe(node)}`;
      compiler.add({ code: 'wrong_type', message, range: node.range }, place);
      return undefined;
    }
    place.id = idOf(node);
    const kind = this.#kindOf(node, place);
    if (kind === undefined) {
      this.#id(node, place);
      return undefined;
    }
    const { problems } = compiler;
    const before = problems.errors - this.#nestedErrors;
    const fields = compiler.table(
      node,
      tableOf(kind),
      { ...place, field: '' },
      {
        what: `${/^[aeiou]/.test(kind.name) ? 'an' : 'a'} ${kind.name} step`,
        unknown: successorOf,
        place: (key) => ({
          ...place,
          field: key,
          block:
            key === kind.name || Object.hasOwn(commonStepFields, key)
              ? `${path}.${key}`
              : `${path}.${kind.name}.${key}`,
        }),
      },
    )!;
    const sound = problems.errors - this.#nestedErrors === before;
    if (sound) compiler.addAll(kind.check?.(fields) ?? [], node, { ...place, field: '' });
    this.#id(node, place);
    const step = this.#node(kind, path, fields, place.id);
    const position = problems.position(firstKey(node));
    if (position !== undefined) step.position = position;
    this.records.set(step, { kind, range: node.entries.get(kind.name)?.keyRange, sound });
    return step;
  }

  #kindOf(node: MapNode, place: Place): Kind | undefined {
    const keys = [...node.entries.keys()];
    const found = keys.filter((key) => this.kinds.get(key)?.fields !== undefined);
    if (found.length === 1) return this.kinds.get(found[0]!);
    const range = firstKey(node);
    if (found.length > 1) {
      const message = `a step has exactly one kind, but this one has ${found.join(' and ')}`;
      const hint = 'write one step after the other, or put them into a group';
      this.fields().add(
        { code: 'several_kinds', message, hint, range: node.entries.get(found[1]!)?.keyRange },
        place,
      );
      return undefined;
    }
    const names = [...this.kinds.values()]
      .filter(({ fields }) => fields !== undefined)
      .map(({ name }) => name);
    const others = keys.filter((key) => !Object.hasOwn(commonStepFields, key));
    const hint = others
      .map((key) => successorOf(key) ?? didYouMean(key, names))
      .find((one) => one !== undefined);
    const got = others.length === 0 ? '' : `, and ${others.map((key) => `'${key}'`).join(', ')} is none`;
    const message = `a step needs exactly one kind key: ${names.join(', ')}${got}`;
    this.fields().add(
      {
        code: 'no_kind',
        message,
        hint,
        range: (others[0] && node.entries.get(others[0])?.keyRange) || range,
      },
      place,
    );
    return undefined;
  }

  #id(node: MapNode, place: Place): void {
    const id = idOf(node);
    if (id === undefined) return;
    const range = node.entries.get('id')!.value.range;
    if (this.#ids.has(id)) {
      const compiler = this.fields();
      const line = compiler.problems.position(this.#ids.get(id))?.line;
      const where = line === undefined ? '' : ` (first in line ${line})`;
      const message = `the id '${id}' is used twice${where}: ids are unique in the whole file`;
      compiler.add({ code: 'duplicate_id', message, range }, place);
    } else this.#ids.set(id, range);
  }

  #node(kind: Kind, path: string, fields: Record<string, unknown>, id: string | undefined): PlanNode {
    const own: Record<string, unknown> = {};
    for (const key of Object.keys(kind.fields!)) if (fields[key] !== undefined) own[key] = fields[key];
    const node: PlanNode = { kind: kind.name, path, label: id ?? `${path} (${kind.name})`, fields: own };
    if (id !== undefined) node.id = id;
    if (fields.when !== undefined) node.when = fields.when as Expression;
    if (fields.input !== undefined) node.input = fields.input as Expression;
    if (fields.output !== undefined && kind.fields!.output === undefined)
      node.output = fields.output as Expression;
    if (fields.retry !== undefined) node.retry = retryPolicy(fields.retry);
    if (fields.timeout !== undefined) node.timeoutSeconds = fields.timeout as number;
    if (fields.on_error !== undefined) node.onError = fields.on_error as Block;
    return node;
  }
}

/** The fields of a step of this kind: the common ones that it may have, and its own. */
export function tableOf(kind: Kind): FieldTable {
  let table = tables.get(kind);
  if (table === undefined) {
    const common = Object.entries(commonStepFields).filter(
      ([name]) => kind.commonFields?.includes(name) ?? true,
    );
    table = { ...Object.fromEntries(common), ...kind.fields };
    tables.set(kind, table);
  }
  return table;
}

const tables = new WeakMap<Kind, FieldTable>();

function idOf(node: MapNode): string | undefined {
  const id = node.entries.get('id')?.value;
  return id?.type === 'scalar' && typeof id.value === 'string' ? id.value : undefined;
}

function firstKey(node: MapNode): TextRange | undefined {
  return node.entries.values().next().value?.keyRange ?? node.range;
}
