import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect, it } from 'vitest';
import { checkConfiguration } from '../../src/config/read-configuration.js';
import { loadStepsWorkflow } from '../../src/dialects/steps/load-workflow.js';

const root = fileURLToPath(new URL('../../../..', import.meta.url));
const pageOf = (name: string) => readFileSync(join(root, name), 'utf8');
const blocksOf = (page: string) =>
  [...page.matchAll(/^```(\w+)\n([\s\S]*?)^```$/gm)].map(([, language, text]) => ({
    language: language!,
    text: text!,
  }));
/** A block without comments and without the words of its language. */
const shapeOf = ({ language, text }: { language: string; text: string }) => [
  language,
  text
    .replace(/(?:^| +)(?:#|\/\/) .*$/gm, '')
    .replace(/"[^"\n]*"|'[^'\n]*'/g, '""')
    .replace(/(?<=default: )[\p{Letter}]+/gu, '')
    .replace(/summary\.\w+\.txt/g, 'summary.txt')
    .replace(/[ \t]+/g, ' '),
];

it('[docs.translations] README.ja.md has the sections, links and code of README.md', () => {
  const [english, japanese] = [pageOf('README.md'), pageOf('README.ja.md')];
  const levels = (page: string) =>
    [...page.replace(/^```[\s\S]*?^```$/gm, '').matchAll(/^(#+) /gm)].map(([, level]) => level);
  expect(levels(japanese)).toEqual(levels(english));
  expect(blocksOf(japanese).map(shapeOf)).toEqual(blocksOf(english).map(shapeOf));
  const links = (page: string) =>
    [...page.matchAll(/\]\(([^)]+)\)/g)].map(([, target]) => target).filter((one) => !/README/.test(one!));
  expect(links(japanese).sort()).toEqual(links(english).sort());
});

it.each(['README.md', 'README.ja.md'])('%s shows definitions that are right', (name) => {
  for (const { language, text } of blocksOf(pageOf(name))) {
    if (language !== 'yaml') continue;
    const source = { file: name, text };
    if (/^steps:/m.test(text)) expect(loadStepsWorkflow(source).diagnostics).toEqual([]);
    else expect(checkConfiguration(source, root).problems.list()).toEqual([]);
  }
});
