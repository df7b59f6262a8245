import { dynamicWork } from '../support/lait.mjs';
import { mastra, mastraWork } from '../support/mastra.mjs';

const sizes = [10, 100, 1000, 10_000];
const numbers = { type: 'object', properties: { n: { type: 'number' } }, required: ['n'] };

export default {
  title: 'Dynamic form: a chain of mapping entries',
  unit: 'entry',
  scale: 'µs',
  cases: Object.fromEntries(sizes.map((size) => [`${size} entries`, size])),
  note: `Each entry builds an object from the input and a constant; results are recorded by id. \`bare async functions\` keep the
same records and do nothing else: what they need more at 10,000 is the price of keeping 10,000 records. More
than half of what lait needs more there are collections that copy the records and pages that the system hands out for
them, and the rest is waiting for memory: an entry holds about 1.4 KB of plan. Nothing is done more often.`,
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
    'bare async functions': {
      async prepare(size) {
        const steps = Array.from({ length: size }, (_, index) => ({
          id: `m${index}`,
          mapping: async ({ n }) => ({ n, index }),
        }));
        const run = async () => {
          const records = {};
          for (const { id, mapping } of steps) {
            const startedAt = Date.now();
            const output = await mapping({ n: 7 });
            records[id] = { status: 'success', startedAt, endedAt: Date.now(), output };
          }
          return records;
        };
        return { operations: size, run };
      },
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
