import { workflowWork } from '../support/lait.mjs';
import { mastra, mastraWork } from '../support/mastra.mjs';

const steps = 100;
const sizes = { '1 KB': 1_000, '100 KB': 100_000, '10 MB': 10_000_000 };

/** Records of about 100 bytes. */
function payloadOf(bytes) {
  const records = Array.from({ length: bytes / 100 }, (_, id) => ({
    id,
    text: 'x'.repeat(70),
    flag: id % 2 === 0,
  }));
  return { count: 0, records };
}

export default {
  title: 'Values that flow through 100 steps',
  unit: 'step',
  scale: 'µs',
  cases: sizes,
  note: 'Each step changes one field beside a list that stays as it is: the cost must not depend on the size.',
  subjects: {
    lait: {
      prepare: (bytes) =>
        workflowWork({
          definition: {
            version: 2,
            name: 'values',
            steps: Array.from({ length: steps }, (_, i) => ({ id: `s${i}`, jq: '.count = .count + 1' })),
          },
          call: { input: payloadOf(bytes) },
          operations: steps,
          check: ({ count }) => count === steps,
        }),
    },
    mastra: {
      peer: true,
      cases: ['1 KB', '100 KB'],
      async prepare(bytes) {
        const { createWorkflow, any } = await mastra();
        const workflow = createWorkflow({ id: 'values', inputSchema: any, outputSchema: any });
        for (let index = 0; index < steps; index += 1) {
          workflow.map(async ({ inputData }) => ({ ...inputData, count: inputData.count + 1 }));
        }
        workflow.commit();
        return mastraWork({
          workflow,
          input: payloadOf(bytes),
          operations: steps,
          check: ({ count }) => count === steps,
        });
      },
    },
  },
};
