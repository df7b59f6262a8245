import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join, posix } from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect, it } from 'vitest';

const docs = fileURLToPath(new URL('../../../../docs', import.meta.url));

/** The pages that a page links to, as paths below docs/. */
function linksOf(page: string): string[] {
  const path = join(docs, page);
  if (!existsSync(path)) return [];
  return [...readFileSync(path, 'utf8').matchAll(/\]\(([^)#:]+\.md)(?:#[^)]*)?\)/g)].map((match) =>
    posix.join(posix.dirname(page), match[1]!),
  );
}

it('[docs.index] the index leads to every page', () => {
  const reached = new Set(['index.md']);
  for (const page of reached) for (const linked of linksOf(page)) reached.add(linked);
  const pages = readdirSync(docs, { recursive: true, encoding: 'utf8' })
    .map((name) => name.replaceAll('\\', '/'))
    .filter((name) => name.endsWith('.md'));
  expect(pages.filter((page) => !reached.has(page))).toEqual([]);
});

it('links between pages lead somewhere', () => {
  const broken = ['waiting.md', 'library.md', 'graph.md', 'commands/runs.md'].flatMap((page) => {
    const text = readFileSync(join(docs, page), 'utf8');
    return [...text.matchAll(/\]\(([^)#:]+)(?:#[^)]*)?\)/g)]
      .map((match) => join(docs, page, '..', match[1]!))
      .filter((target) => !existsSync(target) && !target.endsWith('/steps.md'));
  });
  expect(broken).toEqual([]);
});
