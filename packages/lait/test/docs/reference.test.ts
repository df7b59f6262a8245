import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect, it } from 'vitest';
import { documentSchemas } from '../../src/cli/document-schemas.js';
import { configFields } from '../../src/config/config-fields.js';
import { loadStepsWorkflow } from '../../src/dialects/steps/load-workflow.js';
import { commonStepFields } from '../../src/dialects/steps/step-fields.js';
import { workflowFields } from '../../src/dialects/steps/workflow-fields.js';
import { kinds } from '../../src/kinds/index.js';
import { diagnosticCodes } from '../../src/plan/diagnostic-codes.js';

const root = fileURLToPath(new URL('../../../..', import.meta.url));
const docs = join(root, 'docs');
const { referencePages, strayPages } = (await import(join(root, 'scripts', 'reference-docs.mjs'))) as {
  referencePages(code: object): Map<string, string>;
  strayPages(code: typeof kinds): string[];
};
const pages = referencePages({
  kinds,
  commonStepFields,
  workflowFields,
  configFields,
  diagnosticCodes,
  documentSchemas,
});

it.each([...pages.keys()])('[docs.reference] docs/%s says what the code says', (name) => {
  const file = join(docs, name);
  const written = existsSync(file) ? readFileSync(file, 'utf8') : undefined;
  expect(written === pages.get(name), 'run `npm run docs`').toBe(true);
});

it('[docs.reference] no page of docs/steps is about a kind that is not there', () => {
  expect(strayPages(kinds)).toEqual([]);
});

it.each(readdirSync(join(docs, 'steps')))('docs/steps/%s shows steps that are right', (name) => {
  const page = readFileSync(join(docs, 'steps', name), 'utf8');
  const snippets = [...page.matchAll(/^```yaml\n([\s\S]*?)^```$/gm)].map(([, text]) => text!);
  expect(snippets.length).toBeGreaterThan(0);
  for (const text of snippets) {
    expect(loadStepsWorkflow({ file: name, text }).diagnostics).toEqual([]);
    expect(text).toMatch(new RegExp(`\\b${name.replace(/\.md$/, '')}:`));
  }
});
