import { expect, test } from 'vitest';
import { detectForm, detectFormOfText } from '../../src/dialects/detect.js';

test.each([
  ['steps', { steps: [] }],
  ['steps', { version: 1, nodes: {}, steps: [] }],
  ['steps', { nodes: {} }],
  ['steps', []],
  ['steps', null],
  ['dynamic', { id: 'x', inputSchema: {}, graph: [] }],
  ['graph', { nodes: [], edges: [] }],
] as const)('%s: %j', (form, definition) => {
  expect(detectForm(definition)).toBe(form);
  expect(detectFormOfText(JSON.stringify(definition, null, 2))).toBe(form);
});

test('YAML is told apart by the keys in its first column', () => {
  expect(detectFormOfText('# graph:\nname: x\nsteps:\n  - jq: .\n    graph: 1\n')).toBe('steps');
  expect(detectFormOfText('"nodes": []\nedges : []\n')).toBe('graph');
  expect(detectFormOfText('id: x\ngraph:\n  - type: mapping\n')).toBe('dynamic');
  expect(detectFormOfText('{ "broken')).toBe('steps');
  expect(detectFormOfText('')).toBe('steps');
});
