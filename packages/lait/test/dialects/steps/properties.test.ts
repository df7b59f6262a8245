import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { stringify } from 'yaml';
import { lintStepsWorkflow } from '../../../src/dialects/steps/lint-workflow.js';
import { loadStepsWorkflow } from '../../../src/dialects/steps/load-workflow.js';
import { loadAgent } from '../../../src/dialects/steps/read-agent-file.js';
import type { Diagnostic } from '../../../src/plan/diagnostic.js';
import { diagnosticCodes } from '../../../src/plan/diagnostic-codes.js';
import { formatDiagnostics } from '../../../src/plan/format-diagnostics.js';
import { definitions } from './definitions.js';

/** What every problem must be, whatever the text. */
function expectSound(diagnostics: readonly Diagnostic[], text: string): void {
  let last = -1;
  for (const { code, message, position } of diagnostics) {
    expect(Object.hasOwn(diagnosticCodes, code)).toBe(true);
    expect(message).not.toBe('');
    expect(message).not.toContain('undefined');
    expect(message.length).toBeLessThan(1000);
    expect(position).toBeDefined();
    const { line, column, start, end } = position!;
    expect(line).toBeGreaterThanOrEqual(1);
    expect(column).toBeGreaterThanOrEqual(1);
    expect(start).toBeGreaterThanOrEqual(last);
    expect(end).toBeGreaterThanOrEqual(start);
    expect(end).toBeLessThanOrEqual(text.length + 1);
    last = start;
  }
  formatDiagnostics(diagnostics, { sources: [{ file: 'w.yml', text }] });
}

function expectLoads(text: string): void {
  const source = { file: 'w.yml', text };
  const { plan, diagnostics } = loadStepsWorkflow(source);
  expect(plan === undefined).toBe(diagnostics.some(({ severity }) => severity === 'error'));
  expectSound(diagnostics, text);
  expectSound(lintStepsWorkflow(source).diagnostics, text);
}

describe('any text', () => {
  it('loads or ends in problems with places [steps.never-crashes]', () => {
    fc.assert(
      fc.property(definitions, (definition) => {
        expectLoads(stringify(definition, { schema: 'core' }));
      }),
      { numRuns: 150 },
    );
  });

  it('loads or ends in problems when it is hardly YAML', () => {
    const piece = fc.constantFrom(
      'steps:',
      '- ',
      '  ',
      '\n',
      'jq: ',
      '.',
      '{',
      '}',
      '[',
      ']',
      ': ',
      '"',
      "'",
      '|',
      '>',
      '&a ',
      '*a',
      '!x ',
      '#',
      '---',
      '\t',
      '日',
      '😀',
      '? ',
      ',',
      '{{ ',
      '%',
      '@',
      '\r\n',
      '\u0000',
      '\ud800',
      '\ufeff',
    );
    fc.assert(
      fc.property(
        fc.array(piece, { maxLength: 30 }).map((pieces) => pieces.join('')),
        expectLoads,
      ),
      { numRuns: 500 },
    );
  });

  it('is an agent file or ends in problems', () => {
    const piece = fc.constantFrom(
      '---\n',
      'name: a\n',
      'model: ',
      'x',
      '\n',
      '{{ input }}',
      '{{',
      ': ',
      '日',
      '\r\n',
      '- ',
    );
    fc.assert(
      fc.property(
        fc.array(piece, { maxLength: 12 }).map((pieces) => pieces.join('')),
        (text) => {
          const { agent, diagnostics } = loadAgent({ file: 'a.md', text });
          expect(agent === undefined).toBe(diagnostics.some(({ severity }) => severity === 'error'));
          expectSound(diagnostics, text);
        },
      ),
      { numRuns: 500 },
    );
  });
});

describe('equalities', () => {
  it('YAML and JSON of one definition give the same plan and the same problems [steps.yaml-equals-json]', () => {
    fc.assert(
      fc.property(definitions, (definition) => {
        const json = JSON.stringify(definition);
        const yaml = stringify(JSON.parse(json), { schema: 'core' });
        const shape = (text: string) => {
          const { plan, diagnostics } = loadStepsWorkflow({ file: 'w.yml', text });
          const problems = diagnostics
            .filter(({ code }) => code !== 'ambiguous_scalar')
            .map(
              ({ code, path, message }) => `${code} ${path} ${message.replace(/ \(first in line \d+\)/, '')}`,
            );
          return [
            problems.sort(),
            JSON.stringify(plan, (key, part) => (key === 'position' || key === 'sources' ? undefined : part)),
          ];
        };
        expect(shape(yaml)).toEqual(shape(json));
      }),
      { numRuns: 100 },
    );
  });

  it('a large file is read in linear work', () => {
    const step = (index: number) =>
      `  - id: s${index}\n    when: .a > ${index}\n    prompt: |\n      日本 {{ input.x }}\n      {{ inputs.lang }}\n`;
    const text = `inputs: { lang: string }\nsteps:\n${Array.from({ length: 10_000 }, (_, index) => step(index)).join('')}`;
    expect(text.split('\n').length).toBeGreaterThan(50_000);
    const { plan, diagnostics } = loadStepsWorkflow({ file: 'w.yml', text });
    expect(diagnostics).toEqual([]);
    expect(plan?.body.nodes).toHaveLength(10_000);
    expect(plan?.body.nodes.at(-1)).toMatchObject({ path: 'steps[9999]', position: { line: 49_998 } });
  });
});
