import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect, it } from 'vitest';

const docs = fileURLToPath(new URL('../../../../docs', import.meta.url));

it('[docs.index] the index leads to every page', () => {
  const text = readFileSync(join(docs, 'index.md'), 'utf8');
  const linked = new Set([...text.matchAll(/\]\(([^)#]+\.md)\)/g)].map((match) => match[1]!));
  const pages = readdirSync(docs, { recursive: true, encoding: 'utf8' })
    .map((name) => name.replaceAll('\\', '/'))
    .filter((name) => name.endsWith('.md') && name !== 'index.md');
  expect(pages.filter((page) => !linked.has(page))).toEqual([]);
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
