import { dynamicWork } from '../support/lait.mjs';
import { mastra, mastraWork } from '../support/mastra.mjs';

const sizes = [10, 100, 1000, 10_000];
const numbers = { type: 'object', properties: { n: { type: 'number' } }, required: ['n'] };

export default {
  title: 'Dynamic form: a chain of mapping entries',
  unit: 'entry',
  scale: 'µs',
  cases: Object.fromEntries(sizes.map((size) => [`${size} entries`, size])),
  note: `Each entry builds an object from the input and a constant; results are recorded by id. An entry holds about 2 KB of
plan. A profile of 10,000 entries shows the functions of 100 entries in much the same shares: what they read and record no
longer fits the processor's caches, and what is recorded outlives the first collections. Nothing is done more often.`,
  subjects: {
    lait: {
      prepare: (size) =>
        dynamicWork({
          definitions: [
            {
              id: 'chain',
              inputSchema: numbers,
              outputSchema: {},
              graph: Array.from({ length: size }, (_, index) => ({
                type: 'mapping',
                id: `m${index}`,
                mapConfig: { n: { initData: true, path: 'n' }, index: { value: index } },
              })),
            },
          ],
          input: { n: 7 },
          operations: size,
          check: (value) => value.n === 7 && value.index === size - 1,
        }),
    },
    mastra: {
      peer: true,
      cases: ['10 entries', '100 entries', '1000 entries'],
      async prepare(size) {
        const { createWorkflow, any, z } = await mastra();
        const workflow = createWorkflow({ id: 'chain', inputSchema: any, outputSchema: any });
        for (let index = 0; index < size; index += 1) {
          workflow.map({
            n: { initData: workflow, path: 'n', schema: any },
            index: { value: index, schema: z.number() },
          });
        }
        workflow.commit();
        return mastraWork({
          workflow,
          input: { n: 7 },
          operations: size,
          check: (value) => value.n === 7 && value.index === size - 1,
        });
      },
    },
  },
};
