import { expect, it } from 'vitest';
import { directoryWith, lait } from '../cli/run-lait.js';

/** An MCP server with one tool, whose result and output schema are given as JSON. */
const server = `import { createInterface } from 'node:readline';
const [structuredContent, outputSchema] = process.argv.slice(2).map((text) => JSON.parse(text));
const results = {
  initialize: ({ protocolVersion }) => ({ protocolVersion, capabilities: { tools: {} }, serverInfo: { name: 's', version: '1' } }),
  'tools/list': () => ({ tools: [{ name: 'rows', inputSchema: { type: 'object' }, outputSchema }] }),
  'tools/call': () => ({ content: [{ type: 'text', text: JSON.stringify(structuredContent) }], structuredContent }),
};
createInterface({ input: process.stdin }).on('line', (line) => {
  const { id, method, params } = JSON.parse(line);
  if (id === undefined) return;
  process.stdout.write(JSON.stringify({ jsonrpc: '2.0', id, result: results[method](params) }) + '\\n');
});`;

const outputSchema = {
  type: 'object',
  required: ['groups'],
  properties: {
    groups: {
      type: 'array',
      items: {
        type: 'object',
        required: ['rows'],
        properties: {
          name: { type: 'string' },
          rows: { type: 'array', items: { type: 'object', properties: { n: { type: 'number' } } } },
        },
      },
    },
  },
};

const result = {
  groups: [
    { name: '一 🦊', rows: [{ n: 1 }, {}, { n: 0.1, more: { deep: [[], {}, null, ''] } }] },
    { rows: [], unknown: 'kept' },
  ],
  beside: { numbers: [1e21, -0.5, 9007199254740991], text: ' a\\u0000\u2028b ' },
};

const files = (structured: unknown) => ({
  'server.mjs': server,
  'lait.config.yml': `mcp_servers:\n  s:\n    command: ${JSON.stringify(process.execPath)}\n    args: [server.mjs, ${JSON.stringify(JSON.stringify(structured))}, ${JSON.stringify(JSON.stringify(outputSchema))}]\n`,
  'w.json': JSON.stringify({
    id: 'w',
    inputSchema: { type: 'object' },
    outputSchema: {},
    graph: [{ type: 'tool', id: 'rows', toolId: 's__rows' }],
  }),
});

it('nested arrays and objects of an MCP tool arrive byte for byte [tools.structured-untouched]', async () => {
  const { code, stdout } = await lait(directoryWith(files(result)), ['run', 'w.json', '--input-json', '{}']);
  expect([code, stdout]).toEqual([0, `${JSON.stringify(result)}\n`]);
});

it('a result that breaks its schema is refused', async () => {
  const broken = { groups: [{ rows: [{ n: 'one' }] }] };
  const { code, stdout, stderr } = await lait(directoryWith(files(broken)), [
    'run',
    'w.json',
    '--input-json',
    '{}',
  ]);
  expect([code, stdout]).toEqual([1, '']);
  expect(stderr).toMatch(/n must be number/);
});
