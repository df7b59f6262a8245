import { describe, expect, it } from 'vitest';
import { loadDynamicWorkflow } from '../../../src/dialects/dynamic/load-workflow.js';

const problems = (text: string) =>
  loadDynamicWorkflow({ file: 'flow.json', text }, { directory: '.' }).diagnostics.map(
    ({ code, message, position }) => [code, message.slice(0, 60), position?.line, position?.column],
  );

describe('[dynamic.damaged-files] a damaged definition file is refused with the place', () => {
  it('when a key is given twice', () => {
    const [first] = problems('{"id": "a",\n "graph": [],\n "graph": []}');
    expect(first).toEqual(['syntax', expect.stringMatching(/already given/), 3, 2]);
  });

  it('when its graph is no list', () => {
    expect(problems('{"id": "a",\n "graph": {}}')).toEqual([
      ['missing-field', 'Workflow definition graph must be an array.', 2, 11],
    ]);
  });

  it('when it is nested without end, closed or not', () => {
    const deep = '['.repeat(100_000);
    expect(problems(`{"graph": ${deep}${']'.repeat(100_000)}}`)).toEqual([
      ['definition_too_large', expect.any(String), 1, 1],
    ]);
    expect(problems(`{"graph": ${deep}`)).toEqual([
      ['syntax', 'nested deeper than 200 levels', 1, expect.any(Number)],
    ]);
  });
});
