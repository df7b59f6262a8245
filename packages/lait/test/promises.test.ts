import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { promises } from './promises.js';

const directory = import.meta.dirname;
const titles = readdirSync(directory, { recursive: true, encoding: 'utf8' })
  .filter((name) => name.endsWith('.test.ts'))
  .flatMap((name) => [
    ...readFileSync(join(directory, name), 'utf8').matchAll(
      /\b(?:it|test|describe)(?:\.\w+)*(?:\([^()]*\))?\(\s*(['"`])([\s\S]*?)\1/g,
    ),
  ])
  .map((match) => match[2]!);
const named = new Set(
  titles.flatMap((title) => [...title.matchAll(/\[([a-z]+\.[a-z0-9-]+)\]/g)].map((match) => match[1]!)),
);
const listed = new Set(promises.map(([id]) => id));

it('every promise has a test that names it', () => {
  expect([...listed].filter((id) => !named.has(id))).toEqual([]);
});

it('every promise that a test names is listed', () => {
  expect([...named].filter((id) => !listed.has(id))).toEqual([]);
});

it('no promise is listed twice', () => {
  expect(promises.length).toBe(listed.size);
});
