import { workflowWork } from '../support/lait.mjs';

const sizes = [100, 1000, 10_000];

export default {
  title: 'Late expressions that read recorded steps',
  unit: 'step',
  scale: 'µs',
  cases: Object.fromEntries(sizes.map((size) => [`${size} steps`, size])),
  note: 'Every step reads the first one and the one in the middle: a look-up must cost the same however much is recorded.',
  subjects: {
    lait: {
      prepare: (size) =>
        workflowWork({
          definition: {
            version: 2,
            name: 'reads',
            steps: Array.from({ length: size }, (_, index) => ({
              id: `s${index}`,
              jq: index === 0 ? '{n: 1}' : `{n: ($steps.s0.n + $steps.s${index >> 1}.n)}`,
            })),
          },
          call: { input: null },
          operations: size,
        }),
    },
  },
};
