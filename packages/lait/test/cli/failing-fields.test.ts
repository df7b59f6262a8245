import { expect, test } from 'vitest';
import { directoryWith, lait } from './run-lait.js';

/** By the field that its failure must name: a step in which an expression fails. */
const failing: Readonly<Record<string, string>> = {
  input: "{ jq: ., input: '1, 2' }",
  output: "{ jq: ., output: '1, 2' }",
  for_each: "{ for_each: '1, 2', steps: [ { jq: . } ] }",
  while: "{ while: '1, 2', max_iterations: 1, steps: [ { jq: . } ] }",
  until: "{ until: '1, 2', max_iterations: 1, steps: [ { jq: . } ] }",
  'switch[1].when':
    "{ switch: [ { when: 'false', steps: [ { jq: . } ] }, { when: '1, 2', steps: [ { jq: . } ] } ] }",
  with: "{ workflow: ./child.yml, with: '1, 2' }",
  'run[1]': "{ run: [echo, '{{ input.gone }}'] }",
  write: "{ write: '{{ input.gone }}' }",
  ask: "{ ask: '{{ input.gone }}', default: y }",
  prompt: "{ prompt: '{{ input.gone }}', model: m }",
  'files[0]': "{ prompt: hi, model: m, files: ['{{ input.gone }}'] }",
};

test('[engine.failure-names-field] the failure of an expression names the field that it stands in', async () => {
  const steps = Object.values(failing).map((step) => `${step.slice(0, -1)}, on_error: [ { jq: .error } ] }`);
  const items = steps.map((step, at) => `  - group: [ { jq: '"x"' }, ${step} ]\n    id: s${at}\n`).join('');
  const directory = directoryWith({
    'w.yml': `output: '[$steps | to_entries[] | .value]'\nsteps:\n${items}`,
    'child.yml': 'steps:\n  - jq: .\n',
  });
  const { code, stdout, stderr } = await lait(directory, ['run', 'w.yml', 'x']);
  expect([code, stderr.includes('attempt')]).toEqual([0, false]);
  const errors = JSON.parse(stdout) as string[];
  for (const [at, field] of Object.keys(failing).entries()) {
    expect(errors[at]).toMatch(/the expression gave more than one value|input has no 'gone'/);
    expect(errors[at]).toContain(`${field}: `);
  }
});

test('the failure of a jq step says jq once', async () => {
  const directory = directoryWith({ 'w.yml': "steps:\n  - { id: s, jq: '1, 2' }\n" });
  const { stderr } = await lait(directory, ['run', 'w.yml', 'x']);
  expect(stderr).toContain("lait: steps[0] (id 's') failed: jq '1, 2': ");
});
