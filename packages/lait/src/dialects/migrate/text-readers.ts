import { isMap, isSeq, type Node, type YAMLMap } from 'yaml';
import { readsParts } from './jq-habits.js';
import type { Migration } from './migration.js';
import { entriesOf, entryOf, keyOf, textOf } from './yaml-nodes.js';

/** Kinds whose value is text; version 1 let the next step read it as JSON. */
const textKinds = ['run', 'ask', 'prompt'];

/**
 * Says where a step looks into what may be text now: version 1 read every text that was JSON as such, version 2 needs
 * `fromjson`. `first`: whether the list begins with the text of the command line.
 */
export function checkTextReaders(steps: Node | null | undefined, migration: Migration, first = false): void {
  if (!isSeq(steps)) return;
  let text: string | undefined = first ? 'the text that the workflow is given' : undefined;
  for (const step of steps.items) {
    if (!isMap(step)) continue;
    const reader = text === undefined ? undefined : firstReader(step);
    if (reader !== undefined) {
      migration.decide(
        placeOf(step, reader),
        `'${reader}' looks into ${text}: read it as JSON first${first && text?.includes('given') ? ", e.g. with 'input: fromjson'" : ", e.g. with 'output: fromjson' in that step"}`,
      );
    }
    for (const block of blocksOf(step)) checkTextReaders(block, migration);
    text = givesText(step) ? `the text of the step before it (${kindOf(step)})` : undefined;
  }
}

/** The first expression of a step that looks into the value that comes in. */
function firstReader(step: YAMLMap): string | undefined {
  const sources = ['when', 'input', 'jq', 'for_each', 'while'].flatMap(
    (key) => textOf(entryOf(step, key)?.value) ?? [],
  );
  const cases = entryOf(step, 'switch')?.value;
  const conditions = isSeq(cases)
    ? cases.items.flatMap((each) => (isMap(each) ? (textOf(entryOf(each, 'when')?.value) ?? []) : []))
    : [];
  return [...sources, ...conditions].find(readsParts);
}

function givesText(step: YAMLMap): boolean {
  const kind = kindOf(step);
  return (
    kind !== undefined &&
    entryOf(step, 'output') === undefined &&
    entryOf(step, 'output_schema') === undefined
  );
}

function kindOf(step: YAMLMap): string | undefined {
  return textKinds.find((kind) => entryOf(step, kind) !== undefined);
}

function blocksOf(step: YAMLMap): (Node | null | undefined)[] {
  const blocks: (Node | null | undefined)[] = [];
  for (const each of entriesOf(step)) {
    const { value } = each;
    if (['group', 'steps', 'else', 'on_error'].includes(keyOf(each))) blocks.push(value);
    else if (keyOf(each) === 'parallel' && isMap(value))
      blocks.push(...entriesOf(value).map((branch) => branch.value));
    else if (keyOf(each) === 'switch' && isSeq(value)) {
      blocks.push(...value.items.map((item) => (isMap(item) ? entryOf(item, 'steps')?.value : undefined)));
    }
  }
  return blocks;
}

/** The scalar that holds the expression. */
function placeOf(step: YAMLMap, source: string): Node | undefined {
  return entriesOf(step).find(({ value }) => textOf(value) === source)?.value ?? undefined;
}
