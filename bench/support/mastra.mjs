import { importPeer } from './peers.mjs';

/** The parts of Mastra that the rows use. */
export async function mastra() {
  const { createStep, createWorkflow } = await importPeer('@mastra/core/workflows');
  const { z } = await importPeer('zod');
  return { createStep, createWorkflow, z, any: z.any() };
}

/** Work of a committed Mastra workflow. */
export async function mastraWork({ workflow, input, operations, check }) {
  const run = async () => {
    const started = await workflow.createRun();
    const result = await started.start({ inputData: input });
    if (result.status !== 'success') throw new Error(`the run ended as ${result.status}`);
    return result.result;
  };
  const value = await run();
  if (check !== undefined && !check(value))
    throw new Error(`wrong result: ${JSON.stringify(value)?.slice(0, 200)}`);
  return { operations, run };
}
