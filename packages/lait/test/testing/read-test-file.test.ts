import { mkdtemp, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import type { DefinitionError } from '../../src/errors/errors.js';
import { readEvalFile, readTestFile } from '../../src/testing/read-test-file.js';
import { testKindOf } from '../../src/testing/test-kind.js';

async function file(text: string): Promise<string> {
  const path = join(await mkdtemp(join(tmpdir(), 'lait-testing-')), 'x.yml');
  await writeFile(path, text);
  return path;
}

async function problems(read: Promise<unknown>): Promise<string[]> {
  const error = (await read.then(
    () => undefined,
    (thrown: unknown) => thrown,
  )) as DefinitionError;
  expect(error).toMatchObject({ code: 'definition_invalid', category: 'definition' });
  return error.diagnostics.map(({ position, message }) => `${position?.line}:${position?.column} ${message}`);
}

describe('a test file', () => {
  it('is read with paths relative to it', async () => {
    const path = await file(`
workflow: ../w.yml
input: { city: 東京 }
replay: tape
answers: { confirm: "yes" }
assert:
  - { type: jq, expr: '.a == $inputs.b' }
  - { type: step_output, id: s, assert: [ { type: contains, value: 👋 } ] }
`);
    const test = await readTestFile(path);
    expect(test.workflow).toBe(join(path, '..', '..', 'w.yml'));
    expect(test.replay).toBe(join(path, '..', 'tape'));
    expect(test).toMatchObject({ input: { city: '東京' }, inputs: {}, answers: { confirm: 'yes' } });
    expect(test.assert).toMatchObject([
      { type: 'jq', expr: { source: '.a == $inputs.b' } },
      { type: 'step_output', id: 's', assert: [{ type: 'contains', value: '👋' }] },
    ]);
  });

  it('has null as input and may name a registered workflow', async () => {
    const test = await readTestFile(await file('workflow: nightly\nreplay: t\nassert: []\n'));
    expect(test).toMatchObject({ workflow: 'nightly', input: null, assert: [] });
  });

  it('[testing.all-problems] tells every problem with its place', async () => {
    const path = await file(`workflow: w.yml
wrokflow: x
assert:
  - { type: eqals, value: 1 }
  - { type: contains, values: 1 }
  - { type: jq, expr: '.a |' }
  - { value: 1 }
  - nothing
  - { type: step_output, id: s, assert: [ { type: usage, max_cost: 1 } ] }
`);
    const found = await problems(readTestFile(path));
    expect(found).toEqual([
      expect.stringMatching(/^1:1 .*needs 'replay'/),
      expect.stringMatching(/^2:1 'wrokflow' is not a field/),
      expect.stringMatching(/^4:13 assert\[0\]\.type must be one of equals, contains/),
      expect.stringMatching(/^5:7 .*needs 'value'/),
      expect.stringMatching(/^5:23 'values' is not a field/),
      expect.stringMatching(/^6:\d+ assert\[2\]\.expr: /),
      expect.stringMatching(/^7:7 .*needs 'type'/),
      expect.stringMatching(/^8:5 assert\[4\] must be a mapping/),
      expect.stringMatching(/^9:\d+ assert\[5\]\.assert\[0\]\.type must be one of/),
    ]);
  });

  it('has limits that can be met', async () => {
    const path = await file(`workflow: w.yml
replay: t
assert:
  - { type: usage }
  - { type: tool_called, name: t, min: 3, max: 1 }
`);
    expect(await problems(readTestFile(path))).toEqual([
      expect.stringContaining('needs at least one limit'),
      expect.stringContaining('max is smaller than min'),
    ]);
  });
});

describe('an eval file', () => {
  it('evaluates a workflow or a prompt, not both and not neither', async () => {
    const cases = 'cases: [ { input: a } ]\n';
    expect(
      (await readEvalFile(await file(`target: { prompt: "{{ input }}", model: m }\n${cases}`))).target,
    ).toMatchObject({ settings: { model: 'm' } });
    expect(await problems(readEvalFile(await file(`target: {}\n${cases}`)))).toEqual([
      expect.stringContaining('needs workflow or prompt'),
    ]);
    expect(
      await problems(readEvalFile(await file(`target: { workflow: w.yml, prompt: x }\n${cases}`))),
    ).toEqual([expect.stringContaining('exclude each other')]);
    expect(
      await problems(readEvalFile(await file(`target: { workflow: w.yml, model: m }\n${cases}`))),
    ).toEqual([expect.stringContaining('model belong to prompt')]);
  });
});

it('tells test, eval and other files apart', () => {
  expect(testKindOf('workflow: w.yml\nreplay: t\n')).toBe('test');
  expect(testKindOf('target: {}\ncases: []\n')).toBe('eval');
  expect(testKindOf('steps:\n  - workflow: x\n    replay: y\n')).toBeUndefined();
  expect(testKindOf('workflow: w.yml\nsteps: []\nreplay: t\n')).toBeUndefined();
  expect(testKindOf('models: {}\n')).toBeUndefined();
});
