import { dynamicWork } from '../support/lait.mjs';
import { mastra, mastraWork } from '../support/mastra.mjs';

const depth = 30;
const numbers = { type: 'object', properties: { n: { type: 'number' } }, required: ['n'] };
const cases = { '30 deep': depth };

export default {
  title: 'Workflows that call workflows',
  unit: 'level',
  scale: 'µs',
  cases,
  note: 'Each level maps its input and calls the next one.',
  subjects: {
    lait: {
      prepare: () =>
        dynamicWork({
          definitions: Array.from({ length: depth }, (_, level) => ({
            id: `level${level}`,
            inputSchema: numbers,
            outputSchema: numbers,
            graph: [
              { type: 'mapping', id: 'keep', mapConfig: { n: { initData: true, path: 'n' } } },
              ...(level === 0 ? [] : [{ type: 'workflow', id: 'next', workflowId: `level${level - 1}` }]),
            ],
          })),
          input: { n: 1 },
          operations: depth,
          check: ({ n }) => n === 1,
        }),
    },
    mastra: {
      peer: true,
      async prepare() {
        const { createWorkflow, any } = await mastra();
        let below;
        for (let level = 0; level < depth; level += 1) {
          const workflow = createWorkflow({ id: `level${level}`, inputSchema: any, outputSchema: any });
          workflow.map(async ({ inputData: { n } }) => ({ n }));
          if (below !== undefined) workflow.then(below);
          below = workflow.commit();
        }
        return mastraWork({ workflow: below, input: { n: 1 }, operations: depth, check: ({ n }) => n === 1 });
      },
    },
  },
};
