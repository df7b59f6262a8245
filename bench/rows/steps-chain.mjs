import { workflowWork } from '../support/lait.mjs';
import { mastra, mastraWork } from '../support/mastra.mjs';
import { importPeer } from '../support/peers.mjs';

const sizes = [10, 100, 1000, 10_000];

export default {
  title: 'Steps form: a chain of `jq` steps',
  unit: 'step',
  scale: 'µs',
  cases: Object.fromEntries(sizes.map((size) => [`${size} steps`, size])),
  target: { subject: 'lait', below: 5, case: '1000 steps' },
  note: `Each step adds 1 to a number and is recorded; events are listened to. 10 steps also carry the start of a run. Equal
expressions share what they are compiled to; different ones take as long up to 1,000 steps, and nearly twice as long at 10,000.`,
  subjects: {
    lait: {
      prepare: (size) =>
        workflowWork({
          definition: {
            version: 2,
            name: 'chain',
            steps: Array.from({ length: size }, (_, i) => ({ id: `s${i}`, jq: '{n: (.n + 1)}' })),
          },
          call: { input: { n: 0 } },
          operations: size,
          check: (value) => value.n === size,
        }),
    },
    'bare async functions': {
      async prepare(size) {
        const steps = Array.from({ length: size }, () => async ({ n }) => ({ n: n + 1 }));
        const run = async () => {
          let value = { n: 0 };
          for (const step of steps) value = await step(value);
        };
        return { operations: size, run };
      },
    },
    mastra: {
      peer: true,
      cases: ['10 steps', '100 steps', '1000 steps'],
      async prepare(size) {
        const { createWorkflow, any } = await mastra();
        const workflow = createWorkflow({ id: 'chain', inputSchema: any, outputSchema: any });
        for (let index = 0; index < size; index += 1)
          workflow.map(async ({ inputData }) => ({ n: inputData.n + 1 }));
        workflow.commit();
        return mastraWork({
          workflow,
          input: { n: 0 },
          operations: size,
          check: (value) => value.n === size,
        });
      },
    },
    langgraph: {
      peer: true,
      cases: ['10 steps', '100 steps', '1000 steps'],
      async prepare(size) {
        const { StateGraph, Annotation, START, END } = await importPeer('@langchain/langgraph');
        const graph = new StateGraph(Annotation.Root({ n: Annotation() }));
        for (let index = 0; index < size; index += 1) graph.addNode(`s${index}`, ({ n }) => ({ n: n + 1 }));
        graph.addEdge(START, 's0');
        for (let index = 1; index < size; index += 1) graph.addEdge(`s${index - 1}`, `s${index}`);
        graph.addEdge(`s${size - 1}`, END);
        const compiled = graph.compile();
        const run = async () => {
          const { n } = await compiled.invoke({ n: 0 }, { recursionLimit: size + 10 });
          if (n !== size) throw new Error(`wrong result: ${n}`);
        };
        return { operations: size, run };
      },
    },
    xstate: {
      peer: true,
      cases: ['10 steps', '100 steps', '1000 steps'],
      async prepare(size) {
        const { assign, createActor, createMachine } = await importPeer('xstate');
        const add = assign({ n: ({ context }) => context.n + 1 });
        const states = { end: { type: 'final' } };
        for (let index = 0; index < size; index += 1) {
          states[`s${index}`] = {
            always: { target: index + 1 === size ? 'end' : `s${index + 1}`, actions: add },
          };
        }
        const machine = createMachine({ context: { n: 0 }, initial: 's0', states });
        const run = async () => {
          const { n } = createActor(machine).start().getSnapshot().context;
          if (n !== size) throw new Error(`wrong result: ${n}`);
        };
        return { operations: size, run };
      },
    },
  },
};
