import { workflowWork } from '../support/lait.mjs';
import { mastra, mastraWork } from '../support/mastra.mjs';

const cases = {};
for (const size of [100, 1000, 10_000, 100_000]) {
  for (const concurrency of [1, 16]) cases[`${size} items, ${concurrency} at once`] = { size, concurrency };
}
const itemsOf = (size) => Array.from({ length: size }, (_, id) => ({ id, amount: id }));
const isRight = (size) => (value) => value.length === size && value[size - 1].doubled === 2 * (size - 1);

export default {
  title: '`for_each` with a `jq` body',
  unit: 'item',
  scale: 'µs',
  cases,
  target: [
    { subject: 'lait', below: 10, case: '10000 items, 1 at once' },
    { subject: 'lait', below: 10, case: '10000 items, 16 at once' },
  ],
  note: 'The body builds an object of two fields. Memory may grow by 100 MiB at 10,000 items.',
  subjects: {
    lait: {
      prepare: ({ size, concurrency }) =>
        workflowWork({
          definition: {
            version: 2,
            name: 'items',
            steps: [
              {
                for_each: '.items',
                max_concurrency: concurrency,
                steps: [{ jq: '{id, doubled: (.amount * 2)}' }],
              },
            ],
          },
          call: { input: { items: itemsOf(size) } },
          operations: size,
          check: isRight(size),
        }),
    },
    mastra: {
      peer: true,
      cases: Object.keys(cases).filter((name) => cases[name].size <= 1000),
      async prepare({ size, concurrency }) {
        const { createStep, createWorkflow, any } = await mastra();
        const step = createStep({
          id: 'double',
          inputSchema: any,
          outputSchema: any,
          execute: async ({ inputData: { id, amount } }) => ({ id, doubled: amount * 2 }),
        });
        const workflow = createWorkflow({ id: 'items', inputSchema: any, outputSchema: any })
          .foreach(step, { concurrency })
          .commit();
        return mastraWork({ workflow, input: itemsOf(size), operations: size, check: isRight(size) });
      },
    },
  },
};
