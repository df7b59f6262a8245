const schema = { type: 'object', properties: { n: { type: 'number' } } };

/** Three pure steps. */
export const pure = {
  id: 'pure',
  inputSchema: schema,
  outputSchema: { type: 'object' },
  graph: [1, 2, 3].map((number) => ({
    type: 'mapping',
    id: `map-${number}`,
    mapConfig: JSON.stringify(
      number === 1 ? { n: { initData: true, path: 'n' } } : { n: { step: `map-${number - 1}`, path: 'n' } },
    ),
  })),
};

/** Waits for a person. */
export const asking = 'inputs: {}\nsteps:\n  - ask: "go on?"\n';
