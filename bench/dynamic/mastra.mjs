import { createRequire } from 'node:module';
import { join } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';

const peers = createRequire(join(fileURLToPath(new URL('../peers/', import.meta.url)), 'package.json'));
const load = (name) => import(pathToFileURL(peers.resolve(name)).href);

export async function createSide() {
  const { Mastra } = await load('@mastra/core');
  const { createTool } = await load('@mastra/core/tools');
  const { InMemoryStore } = await load('@mastra/core/storage');
  const { z } = await load('zod');
  const number = z.object({ n: z.number() });
  const increment = createTool({
    id: 'increment',
    description: 'adds one',
    inputSchema: number,
    outputSchema: number,
    execute: async ({ n }) => ({ n: n + 1 }),
  });
  const mastra = new Mastra({ tools: { increment }, storage: new InMemoryStore(), logger: false });
  return {
    register: (definition) => mastra.addDynamicWorkflow(definition),
    async run(id, inputData) {
      const run = await mastra.getWorkflow(id).createRun();
      return run.start({ inputData });
    },
  };
}
