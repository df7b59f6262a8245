import { createLait, defineTool } from 'lait';

const number = { type: 'object', properties: { n: { type: 'number' } }, required: ['n'] };

export async function createSide() {
  const increment = defineTool({
    inputSchema: number,
    outputSchema: number,
    execute: ({ n }) => ({ n: n + 1 }),
  });
  const lait = await createLait({ config: false, tools: { increment } });
  return {
    register: (definition) => lait.addDynamicWorkflow(definition),
    async run(id, inputData) {
      const run = await lait.getWorkflow(id).createRun();
      return run.start({ inputData });
    },
  };
}
