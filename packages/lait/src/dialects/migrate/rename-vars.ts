import type { Node, Scalar } from 'yaml';
import type { Migration } from './migration.js';
import { eachScalar } from './yaml-nodes.js';

const mustache = /\{\{[\s\S]*?\}\}/g;
const templateName = /(?<![\w.$-])vars(?=[.\s}[)])/g;
const jqName = /\$vars(?!\w)/g;

/**
 * Renames the variables of version 1, `vars.x` in templates and `$vars.x` in jq, to inputs, in place. Gives back their
 * names in the order of their first use.
 */
export function renameVars(nodes: readonly (Node | null | undefined)[], migration: Migration): string[] {
  const names = new Set<string>();
  for (const node of nodes) eachScalar(node, (scalar, keys) => renameIn(scalar, keys, names, migration));
  return [...names];
}

function renameIn(scalar: Scalar, keys: readonly string[], names: Set<string>, migration: Migration): void {
  if (typeof scalar.value !== 'string') return;
  let text = scalar.value.replace(mustache, (part) => part.replace(templateName, 'inputs'));
  collect(scalar.value.match(mustache)?.join('\n') ?? '', /(?<![\w.$-])vars\.([A-Za-z_][\w-]*)/g, names);
  // Programs have variables of their own, which a shell writes the same way.
  if (!keys.includes('run') && jqName.test(text)) {
    const known = collect(text, /\$vars(?:\.([A-Za-z_]\w*)|\[?\.?"([^"]+)"\]?)/g, names);
    if (known < text.match(jqName)!.length) {
      migration.decide(
        scalar,
        `'${text}' reads $vars as a whole: declare every input that it may meet under inputs:`,
      );
    }
    text = text.replace(jqName, '$inputs');
  }
  if (text === scalar.value) return;
  scalar.value = text;
  delete scalar.source;
}

function collect(text: string, pattern: RegExp, names: Set<string>): number {
  let count = 0;
  for (const [, plain, quoted] of text.matchAll(pattern)) {
    names.add((plain ?? quoted)!);
    count += 1;
  }
  return count;
}

/** The ids that templates and expressions read: `steps.x`, `$steps.x`, `$steps["x"]`. */
export function readStepIds(node: Node | null): Set<string> {
  const ids = new Set<string>();
  eachScalar(node, ({ value }) => {
    if (typeof value !== 'string') return;
    collect(value, /(?<![\w.-])\$?steps(?:\.([A-Za-z_][\w-]*)|\[?\.?"([^"]+)"\]?)/g, ids);
  });
  return ids;
}
