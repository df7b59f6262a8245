import { expect, test } from 'vitest';
import { detectForm, detectFormOfText, isJsonDefinition } from '../../src/dialects/detect.js';

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

test('broken JSON is of the form whose keys come first', () => {
  expect(detectFormOfText('{"id":"x","graph":[{"type":"parallel","steps":[]}],}')).toBe('dynamic');
  expect(detectFormOfText('{"edges":[],"nodes":[} "steps": 1')).toBe('graph');
});

test('JSON with the keys of a form is a definition, also when it is broken', () => {
  for (const text of [
    '{"steps":[]}',
    '{"id":"x","graph":[]}',
    '{"nodes":[],"edges":[]}',
    '{"a":[1,"graph":[]',
  ])
    expect(isJsonDefinition(text)).toBe(true);
  for (const text of ['{"nodes":[]}', '[{"graph":[]}]', '{"data":{"steps":[]}}', '{"a":}', 'null', ''])
    expect(isJsonDefinition(text)).toBe(false);
});
