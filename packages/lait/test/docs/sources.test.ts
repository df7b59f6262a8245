import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect, it } from 'vitest';

const root = fileURLToPath(new URL('../../../..', import.meta.url));
const page = readFileSync(join(root, 'docs/sources.md'), 'utf8');

function* sourceTexts(): Generator<string> {
  for (const folder of ['packages/jq/src', 'packages/lait/src', 'packages/lait/test']) {
    for (const name of readdirSync(join(root, folder), { recursive: true, encoding: 'utf8' })) {
      if (name.endsWith('.ts') && !name.includes('node_modules'))
        yield readFileSync(join(root, folder, name), 'utf8');
    }
  }
}

/** The sections of the three forms' facts, `2` and `2.3` alike. */
function sectionsOf(form: string): Set<string> {
  const [, table = ''] = page.split(new RegExp(`### ${form} facts\n`, 'i'));
  const [rows = ''] = table.split('\n#');
  return new Set([
    ...[...rows.matchAll(/^\| (\d+) \|/gm)].map(([, number]) => number!),
    ...[...rows.matchAll(/\((\d+\.\d+)\)/g)].map(([, number]) => number!),
  ]);
}

it('[docs.sources] the page about sources names every report and section that the code refers to', () => {
  const unknown = new Set<string>();
  for (const text of sourceTexts()) {
    for (const [report] of text.matchAll(/\bFR-\d+/g))
      if (!page.includes(`| ${report} |`)) unknown.add(report);
    const cited = text.matchAll(
      /(?:\b(steps|dynamic|graph) facts|\bfacts (steps|dynamic|graph)) §([\d.]*\d)/g,
    );
    for (const [whole, before, behind, number] of cited) {
      const form = (before ?? behind)!;
      const section = form === 'steps' ? number!.split('.')[0]! : number!;
      if (!sectionsOf(form).has(section)) unknown.add(whole);
    }
  }
  expect([...unknown]).toEqual([]);
});
