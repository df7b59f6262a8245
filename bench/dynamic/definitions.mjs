// The definitions that both sides run, as plain JSON.
const number = { type: 'object', properties: { n: { type: 'number' } }, required: ['n'] };

const chain = (id, count, entry) => ({
  id,
  inputSchema: number,
  outputSchema: {},
  graph: Array.from({ length: count }, (_, index) => entry(index)),
});

export const definitions = {
  tools: chain('tools', 200, (index) => ({ type: 'tool', id: `t${index}`, toolId: 'increment' })),
  mappings: chain('mappings', 200, (index) => ({
    type: 'mapping',
    id: `m${index}`,
    mapConfig: {
      n: { initData: true, path: 'n' },
      text: { template: `step ${index}: \${initData.n}` },
      ...(index === 0 ? {} : { before: { step: `m${index - 1}`, path: 'text' } }),
    },
  })),
  foreach: {
    id: 'foreach',
    inputSchema: { type: 'array', items: number },
    outputSchema: {},
    graph: [
      { type: 'foreach', step: { type: 'tool', id: 'each', toolId: 'increment' }, opts: { concurrency: 8 } },
    ],
  },
  large: {
    id: 'large',
    inputSchema: number,
    outputSchema: {},
    graph: Array.from({ length: 500 }, (_, index) =>
      index % 2 === 0
        ? { type: 'tool', id: `s${index}`, toolId: 'increment' }
        : { type: 'mapping', id: `s${index}`, mapConfig: { n: { step: `s${index - 1}`, path: 'n' } } },
    ),
  },
};

/** What is measured: a definition, its input, how many steps one run has. */
export const runs = {
  'chain of 200 tool calls': { id: 'tools', input: { n: 1 }, steps: 200 },
  'chain of 200 mappings': { id: 'mappings', input: { n: 1 }, steps: 200 },
  'foreach of 10,000 at 8': {
    id: 'foreach',
    input: Array.from({ length: 10_000 }, (_, n) => ({ n })),
    steps: 10_000,
  },
};
